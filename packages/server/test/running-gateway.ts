import assert from 'node:assert/strict';
import { isJsonObject, type JsonObject } from '@floe/contract/json';
import { eventually } from '@floe/testkit/eventually';
import { type FakeUpstream, type FakeUpstreamOptions, startFakeUpstream } from '@floe/testkit/fake-upstream';
import { type FloeProcess, startFloeProcess } from '@floe/testkit/floe-process';
import { callHttp, type HttpCallOptions, type HttpCallResponse } from '@floe/testkit/http-client';
import { loadProjectRecording } from '@floe/testkit/recordings';

/** Platform keys of the test organization, by what is special about them. */
export const GATEWAY_KEYS = {
  full: `eis_full${'0'.repeat(32)}`,
  /** May ask for one model only. */
  narrow: `eis_narrow${'0'.repeat(32)}`,
  expired: `eis_expired${'0'.repeat(32)}`,
  /** Lacks the scope `gateway`. */
  monitoring: `eis_monitoring${'0'.repeat(32)}`,
} as const;

export const CHAT_COMPLETIONS_PATH = '/gateway/v1/chat/completions';

export interface RunningGatewayOptions {
  readonly upstream?: FakeUpstreamOptions;
  /** Further providers; what they leave out is as in `fake`. */
  readonly moreProviders?: (upstreamUrl: string) => readonly JsonObject[];
}

/** The real server with one fake upstream behind it, under the provider id `fake`. */
export interface RunningGateway {
  readonly floe: FloeProcess;
  readonly upstream: FakeUpstream;
  /** One request with the key `full` unless the headers bring another. */
  call(path: string, options?: HttpCallOptions): Promise<HttpCallResponse>;
  /** A Chat request for the model `fake/model`; `more` replaces or adds members. */
  chat(more?: JsonObject, options?: HttpCallOptions): Promise<HttpCallResponse>;
  /** The row of an exchange as the API shows it, once it is there. */
  row(id: string | undefined): Promise<JsonObject>;
  /** Rows of a state, newest first. */
  rows(query: string): Promise<readonly JsonObject[]>;
  /** TCP connections the server has open, this question's own left out. */
  openSockets(): Promise<number>;
  stop(): Promise<void>;
}

/** The configuration of a gateway in front of `upstreamUrl`; JSON is YAML. */
export function buildGatewayConfig(
  upstreamUrl: string,
  moreProviders: readonly JsonObject[] = [],
): JsonObject {
  const fake = {
    kind: 'openai-compatible',
    base_url: `${upstreamUrl}/v1`,
    api_key: 'upstream-secret',
    models: ['model', 'model/with/slashes', 'family-*'],
    breaker: { enabled: false },
  };
  const keys = [
    { name: 'full', key: GATEWAY_KEYS.full, scopes: ['gateway', 'management', 'read'] },
    { name: 'narrow', key: GATEWAY_KEYS.narrow, scopes: ['gateway'], models: ['sandbox/echo'] },
    { name: 'expired', key: GATEWAY_KEYS.expired, scopes: ['gateway'], expires_at: '2020-01-01T00:00:00Z' },
    { name: 'monitoring', key: GATEWAY_KEYS.monitoring, scopes: ['monitoring'] },
  ];
  const providers = [
    { ...fake, id: 'fake' },
    { id: 'sandbox', kind: 'sandbox' },
    ...moreProviders.map((more) => ({ ...fake, ...more })),
  ];
  // One call per request: what a failure looks like is judged here, not what is tried after it.
  const routes = [{ model: '*', retries: 0 }];
  return { orgs: [{ id: 'acme', name: 'Acme', keys, providers, routes }] };
}

export async function startRunningGateway(options: RunningGatewayOptions = {}): Promise<RunningGateway> {
  const upstream = await startFakeUpstream(
    options.upstream ?? {
      recordings: [loadProjectRecording('openai', 'text'), loadProjectRecording('openai', 'text-stream')],
    },
  );
  const floe = await startFloeProcess({
    yaml: JSON.stringify(buildGatewayConfig(upstream.url, options.moreProviders?.(upstream.url))),
  });
  const gateway = withKey(floe);
  return {
    ...gateway,
    floe,
    upstream,
    async stop() {
      await floe.stop();
      await upstream.close();
    },
  };
}

function withKey(floe: FloeProcess): Omit<RunningGateway, 'upstream' | 'stop'> {
  const ask: RunningGateway['call'] = (path, options = {}) =>
    callHttp(floe.url + path, {
      ...options,
      headers: options.headers ?? { authorization: `Bearer ${GATEWAY_KEYS.full}` },
    });
  const data = async (path: string): Promise<JsonObject> => {
    const answer = await ask(path);
    assert.equal(answer.status, 200, answer.text);
    const body = answer.json();
    assert.ok(isJsonObject(body));
    return body;
  };
  return {
    floe,
    call: ask,
    chat: (more = {}, options = {}) => ask(CHAT_COMPLETIONS_PATH, { ...options, body: buildChatBody(more) }),
    row: (id) =>
      eventually(async () => {
        const answer = await ask(`/api/analytics/requests/${id}`);
        const row = answer.json();
        return answer.status === 200 && isJsonObject(row) ? row : undefined;
      }),
    async rows(query) {
      const page = await data(`/api/analytics/requests?limit=500&${query}`);
      assert.ok(Array.isArray(page.data));
      return page.data.filter(isJsonObject);
    },
    async openSockets() {
      const metrics = await callHttp(`${floe.url}/metrics`);
      const count = /nodejs_active_resources\{type="TCPSocketWrap"\} (\d+)/.exec(metrics.text)?.[1];
      return Number(count ?? 0) - 1;
    },
  };
}

export function buildChatBody(more: JsonObject = {}): JsonObject {
  return { model: 'fake/model', messages: [{ role: 'user', content: 'Hello' }], ...more };
}

/** A usual request succeeds: whatever was done to the process before has not harmed it. */
export async function assertHealthy({ chat }: Pick<RunningGateway, 'chat'>, after: string): Promise<void> {
  const answer = await chat({ model: 'sandbox/echo' });
  assert.equal(answer.status, 200, `after ${after}: ${answer.text}`);
  assert.match(answer.text, /"content":"Hello"/, `after ${after}`);
}
