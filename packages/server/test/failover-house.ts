// The real server with two fake upstreams per dialect, and routes between them.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { JsonObject } from '@floe/contract/json';
import { type CallAnswer, type CallOptions, call } from '@floe/testkit/client';
import type { ReceivedRequest } from '@floe/testkit/connection';
import { startFloe } from '@floe/testkit/process';
import type { Reply } from '@floe/testkit/reply';
import { asksForStream } from '@floe/testkit/surfaces';
import { startUpstream, type Upstream } from '@floe/testkit/upstream';
import { DIALECTS, type Dialect, objectOf, objectsIn } from './answers-said.ts';
import { PATHS, type Surface } from './house-of-dialects.ts';
import { rowsOf } from './rows-of.ts';
import { sample } from './upstream-samples.ts';

export type Side = 'a' | 'b';

const KINDS: Readonly<Record<Dialect, JsonObject>> = {
  chat: { kind: 'openai-compatible' },
  responses: { kind: 'openai-compatible', dialects: ['responses'] },
  messages: { kind: 'anthropic-compatible' },
  gemini: { kind: 'gemini' },
  converse: { kind: 'bedrock', region: 'test-1' },
  cohere: { kind: 'cohere' },
};
export const TURN = [{ role: 'user', content: 'How thick is the ice?' }];
const BASES: Readonly<Record<Surface, JsonObject>> = {
  chat: { messages: TURN },
  responses: { input: TURN },
  messages: { messages: TURN, max_tokens: 100 },
};
/** Deadlines for silent upstreams; a healthy one is never asked under them. */
const QUICK = { headers_ms: 60, first_token_ms: 60, idle_ms: 60 };

export interface FailoverHouse {
  upstream(dialect: Dialect, side: Side): Upstream;
  /** Sends a question of the surface; `more` replaces or adds members. */
  ask(surface: Surface, model: string, more?: JsonObject, options?: CallOptions): Promise<CallAnswer>;
  /** What this upstream has received. */
  asked(dialect: Dialect, side: Side): readonly ReceivedRequest[];
  row(answer: CallAnswer | string): Promise<JsonObject>;
  /** Rows of this query, newest first. */
  rows(query: string): Promise<readonly JsonObject[]>;
  readonly narrowKey: string;
  close(): Promise<void>;
}

/**
 * Providers are named `<dialect>-<side>`; `<dialect>-quick` is side `a` under short deadlines, `shared` side `a`
 * of Messages under two credentials, `no-handshake` one whose TLS never comes about. Side `a` says what
 * `scripted` gives, else the usual text.
 */
export async function startFailoverHouse(
  routes: readonly JsonObject[],
  scripted: (dialect: Dialect) => Reply | undefined = () => undefined,
): Promise<FailoverHouse> {
  const upstreams = new Map<string, Upstream>();
  for (const dialect of DIALECTS)
    for (const side of ['a', 'b'] as const)
      upstreams.set(
        `${dialect}-${side}`,
        await startUpstream({
          respond({ path, body }) {
            const isStream = asksForStream(path, JSON.parse(body.toString('utf8')));
            const special = side === 'a' ? scripted(dialect) : undefined;
            return special ?? sample(dialect, 'text', isStream);
          },
        }),
      );
  const upstream = (dialect: Dialect, side: Side) => upstreams.get(`${dialect}-${side}`) ?? assert.fail();
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
  const floe = await startFloe({ yaml: JSON.stringify({ orgs: [org] }) });
  const authorization = `Bearer ${key}`;
  return {
    upstream,
    narrowKey,
    asked: (dialect, side) => upstream(dialect, side).requests,
    ask: (surface, model, more = {}, options = {}) =>
      call(`${floe.url}/gateway/v1${PATHS[surface]}`, {
        body: { model, ...BASES[surface], ...more },
        ...options,
        headers: { authorization, 'content-type': 'application/json', ...options.headers },
      }),
    async row(answer) {
      const id = typeof answer === 'string' ? answer : (answer.headers['x-request-id'] ?? '');
      return (await rowsOf(floe.url, key, [id])).get(id) ?? assert.fail(`no row of ${id}`);
    },
    async rows(query) {
      const answer = await call(`${floe.url}/api/analytics/requests?limit=100&${query}`, {
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

function providersOf(upstream: (dialect: Dialect, side: Side) => Upstream): JsonObject[] {
  // Named models only: the server asks nobody for lists meanwhile.
  const models = ['m-0', 'm-1', 'm-2', 'm-3'];
  // What one fault leads to is judged here; what many lead to, in breakers.test.ts.
  const breaker = { enabled: false };
  const providers = DIALECTS.flatMap((dialect) => {
    const of = (side: Side, id: string) => ({
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
  return objectsIn(objectOf(page)['data']);
}
