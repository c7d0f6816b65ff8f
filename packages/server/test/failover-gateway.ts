// The real server with two fake upstreams per dialect, and routes between them.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { JsonObject } from '@floe/contract/json';
import { isStreamingRequest } from '@floe/testkit/api-surface';
import { type FakeUpstream, startFakeUpstream } from '@floe/testkit/fake-upstream';
import { startFloeProcess } from '@floe/testkit/floe-process';
import { callHttp, type HttpCallOptions, type HttpCallResponse } from '@floe/testkit/http-client';
import type { ReceivedRequest } from '@floe/testkit/upstream-connection';
import type { UpstreamReply } from '@floe/testkit/upstream-reply';
import { objectOrEmpty, objectsOrEmpty, TEST_DIALECTS, type TestDialect } from './answer-content.ts';
import { type ClientSurface, SURFACE_PATHS } from './dialect-gateway.ts';
import { sampleReply } from './upstream-samples.ts';
import { waitForRows } from './wait-for-rows.ts';

export type UpstreamSide = 'a' | 'b';

const KINDS: Readonly<Record<TestDialect, JsonObject>> = {
  chat: { kind: 'openai-compatible' },
  responses: { kind: 'openai-compatible', dialects: ['responses'] },
  messages: { kind: 'anthropic-compatible' },
  gemini: { kind: 'gemini' },
  converse: { kind: 'bedrock', region: 'test-1' },
  cohere: { kind: 'cohere' },
};
export const QUESTION_MESSAGES = [{ role: 'user', content: 'How thick is the ice?' }];
const BASES: Readonly<Record<ClientSurface, JsonObject>> = {
  chat: { messages: QUESTION_MESSAGES },
  responses: { input: QUESTION_MESSAGES },
  messages: { messages: QUESTION_MESSAGES, max_tokens: 100 },
};
/** Deadlines for upstreams that send nothing. A healthy upstream is never used with them. */
const QUICK = { headers_ms: 60, first_token_ms: 60 };
/** Deadlines for upstreams that stop in the middle of a response. Its start can take long on a busy machine. */
const STALLING = { headers_ms: 1_000, first_token_ms: 1_000, idle_ms: 60 };

interface SendOptions extends HttpCallOptions {
  /** Below `/gateway/v1`; the path of the surface unless given. */
  readonly path?: string;
}

export interface FailoverGateway {
  upstream(dialect: TestDialect, side: UpstreamSide): FakeUpstream;
  /** Sends a question of the surface; `more` replaces or adds members. */
  send(
    surface: ClientSurface,
    model: string,
    more?: JsonObject,
    options?: SendOptions,
  ): Promise<HttpCallResponse>;
  /** What this upstream has received. */
  receivedRequests(dialect: TestDialect, side: UpstreamSide): readonly ReceivedRequest[];
  row(answer: HttpCallResponse | string): Promise<JsonObject>;
  /** Rows of this query, newest first. */
  rows(query: string): Promise<readonly JsonObject[]>;
  readonly narrowKey: string;
  close(): Promise<void>;
}

/**
 * Providers are named `<dialect>-<side>`; `-quick` and `-stalling` are side `a` under short deadlines, `shared` side `a`
 * of Messages under two credentials, `no-handshake` one whose TLS never comes about. Side `a` says what
 * `scripted` gives, else the usual text.
 */
export async function startFailoverGateway(
  routes: readonly JsonObject[],
  scripted: (dialect: TestDialect, request: ReceivedRequest) => UpstreamReply | undefined = () => undefined,
): Promise<FailoverGateway> {
  const upstreams = new Map<string, FakeUpstream>();
  for (const dialect of TEST_DIALECTS)
    for (const side of ['a', 'b'] as const)
      upstreams.set(
        `${dialect}-${side}`,
        await startFakeUpstream({
          respond(request) {
            const { path, body } = request;
            const isStream = isStreamingRequest(path, JSON.parse(body.toString('utf8')));
            const special = side === 'a' ? scripted(dialect, request) : undefined;
            return special ?? sampleReply(dialect, 'text', isStream);
          },
        }),
      );
  const upstream = (dialect: TestDialect, side: UpstreamSide) =>
    upstreams.get(`${dialect}-${side}`) ?? assert.fail();
  const key = newKey();
  const narrowKey = newKey();
  const org = {
    id: 'acme',
    keys: [
      { name: 'full', key, scopes: ['gateway', 'management'] },
      { name: 'narrow', key: narrowKey, scopes: ['gateway'], models: ['smart', 'messages-b/*', 'alone'] },
    ],
    providers: providersOf(upstream),
    routes,
  };
  const floe = await startFloeProcess({ yaml: JSON.stringify({ orgs: [org] }) });
  const authorization = `Bearer ${key}`;
  return {
    upstream,
    narrowKey,
    receivedRequests: (dialect, side) => upstream(dialect, side).requests,
    send: (surface, model, more = {}, { path = SURFACE_PATHS[surface], ...options } = {}) =>
      callHttp(`${floe.url}/gateway/v1${path}`, {
        body: { model, ...BASES[surface], ...more },
        ...options,
        headers: { authorization, 'content-type': 'application/json', ...options.headers },
      }),
    async row(answer) {
      const id = typeof answer === 'string' ? answer : (answer.headers['x-request-id'] ?? '');
      return (await waitForRows(floe.url, key, [id])).get(id) ?? assert.fail(`no row of ${id}`);
    },
    async rows(query) {
      const answer = await callHttp(`${floe.url}/api/analytics/requests?limit=100&${query}`, {
        headers: { authorization },
      });
      return dataOf(answer.json());
    },
    async close() {
      await floe.stop();
      for (const one of upstreams.values()) await one.close();
    },
  };
}

function providersOf(upstream: (dialect: TestDialect, side: UpstreamSide) => FakeUpstream): JsonObject[] {
  // Named models only: the server asks nobody for lists meanwhile.
  const models = ['m-0', 'm-1', 'm-2', 'm-3'];
  // What one fault leads to is judged here; what many lead to, in breakers.test.ts.
  const breaker = { enabled: false };
  const providers = TEST_DIALECTS.flatMap((dialect) => {
    const of = (side: UpstreamSide, id: string) => ({
      ...KINDS[dialect],
      breaker,
      id,
      models,
      base_url: `${upstream(dialect, side).url}/v1`,
      api_key: `secret-of-${dialect}-${side}`,
    });
    return [
      of('a', `${dialect}-a`),
      of('b', `${dialect}-b`),
      { ...of('a', `${dialect}-quick`), timeouts: QUICK },
      { ...of('a', `${dialect}-stalling`), timeouts: STALLING },
    ];
  });
  const { url } = upstream('messages', 'a');
  const credentials = ['one', 'two'].map((name) => ({ name, api_key: `secret-${name}` }));
  return [
    ...providers,
    { ...KINDS.messages, id: 'shared', base_url: url, credentials, models, breaker },
    {
      ...KINDS.chat,
      id: 'no-handshake',
      models,
      breaker,
      base_url: url.replace('http:', 'https:'),
      timeouts: { connect_ms: 60 },
    },
  ];
}

function newKey(): string {
  return `eis_${randomBytes(24).toString('hex')}`;
}

function dataOf(page: unknown): readonly JsonObject[] {
  return objectsOrEmpty(objectOrEmpty(page)['data']);
}
