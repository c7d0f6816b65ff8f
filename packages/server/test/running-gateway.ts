import assert from 'node:assert/strict';
import { isObject, type JsonObject } from '@floe/contract/json';
import { type CallAnswer, type CallOptions, call } from '@floe/testkit/client';
import { eventually } from '@floe/testkit/patience';
import { type Floe, startFloe } from '@floe/testkit/process';
import { ownRecording } from '@floe/testkit/recordings';
import { startUpstream, type Upstream, type UpstreamOptions } from '@floe/testkit/upstream';

/** Platform keys of the test organization, by what is special about them. */
export const KEYS = {
  full: `eis_full${'0'.repeat(32)}`,
  /** May ask for one model only. */
  narrow: `eis_narrow${'0'.repeat(32)}`,
  expired: `eis_expired${'0'.repeat(32)}`,
  /** Lacks the scope `gateway`. */
  monitoring: `eis_monitoring${'0'.repeat(32)}`,
} as const;

export const CHAT = '/gateway/v1/chat/completions';

export interface GatewayOptions {
  readonly upstream?: UpstreamOptions;
  /** Further providers; what they leave out is as in `fake`. */
  readonly moreProviders?: (upstreamUrl: string) => readonly JsonObject[];
}

/** The real server with one fake upstream behind it, under the provider id `fake`. */
export interface RunningGateway {
  readonly floe: Floe;
  readonly upstream: Upstream;
  /** One request with the key `full` unless the headers bring another. */
  call(path: string, options?: CallOptions): Promise<CallAnswer>;
  /** A Chat request for the model `fake/model`; `more` replaces or adds members. */
  chat(more?: JsonObject, options?: CallOptions): Promise<CallAnswer>;
  /** The row of an exchange as the API shows it, once it is there. */
  row(id: string | undefined): Promise<JsonObject>;
  /** Rows of a state, newest first. */
  rows(query: string): Promise<readonly JsonObject[]>;
  /** TCP connections the server has open, this question's own left out. */
  openSockets(): Promise<number>;
  stop(): Promise<void>;
}

/** The configuration of a gateway in front of `upstreamUrl`; JSON is YAML. */
export function configFor(upstreamUrl: string, moreProviders: readonly JsonObject[] = []): JsonObject {
  const fake = {
    kind: 'openai-compatible',
    base_url: `${upstreamUrl}/v1`,
    api_key: 'upstream-secret',
    models: ['model', 'model/with/slashes', 'family-*'],
    breaker: { enabled: false },
  };
  const keys = [
    { name: 'full', key: KEYS.full, scopes: ['gateway', 'management', 'read'] },
    { name: 'narrow', key: KEYS.narrow, scopes: ['gateway'], models: ['sandbox/echo'] },
    { name: 'expired', key: KEYS.expired, scopes: ['gateway'], expires_at: '2020-01-01T00:00:00Z' },
    { name: 'monitoring', key: KEYS.monitoring, scopes: ['monitoring'] },
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

export async function startGateway(options: GatewayOptions = {}): Promise<RunningGateway> {
  const upstream = await startUpstream(
    options.upstream ?? {
      recordings: [ownRecording('openai', 'text'), ownRecording('openai', 'text-stream')],
    },
  );
  const floe = await startFloe({
    yaml: JSON.stringify(configFor(upstream.url, options.moreProviders?.(upstream.url))),
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

function withKey(floe: Floe): Omit<RunningGateway, 'upstream' | 'stop'> {
  const ask: RunningGateway['call'] = (path, options = {}) =>
    call(floe.url + path, {
      ...options,
      headers: options.headers ?? { authorization: `Bearer ${KEYS.full}` },
    });
  const data = async (path: string): Promise<JsonObject> => {
    const answer = await ask(path);
    assert.equal(answer.status, 200, answer.text);
    const body = answer.json();
    assert.ok(isObject(body));
    return body;
  };
  return {
    floe,
    call: ask,
    chat: (more = {}, options = {}) => ask(CHAT, { ...options, body: chatBody(more) }),
    row: (id) =>
      eventually(async () => {
        const answer = await ask(`/api/analytics/requests/${id}`);
        const row = answer.json();
        return answer.status === 200 && isObject(row) ? row : undefined;
      }),
    async rows(query) {
      const page = await data(`/api/analytics/requests?limit=500&${query}`);
      assert.ok(Array.isArray(page.data));
      return page.data.filter(isObject);
    },
    async openSockets() {
      const metrics = await call(`${floe.url}/metrics`);
      const count = /nodejs_active_resources\{type="TCPSocketWrap"\} (\d+)/.exec(metrics.text)?.[1];
      return Number(count ?? 0) - 1;
    },
  };
}

export function chatBody(more: JsonObject = {}): JsonObject {
  return { model: 'fake/model', messages: [{ role: 'user', content: 'Hello' }], ...more };
}

/** A usual request succeeds: whatever was done to the process before has not harmed it. */
export async function assertHealthy({ chat }: Pick<RunningGateway, 'chat'>, after: string): Promise<void> {
  const answer = await chat({ model: 'sandbox/echo' });
  assert.equal(answer.status, 200, `after ${after}: ${answer.text}`);
  assert.match(answer.text, /"content":"Hello"/, `after ${after}`);
}
