// The real server for the accounting laws: every surface, in front of fake upstreams that answer as a test lays out.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { isObject, type JsonObject } from '@floe/contract/json';
import { type CallAnswer, type CallOptions, call } from '@floe/testkit/client';
import { eventually } from '@floe/testkit/patience';
import { startFloe } from '@floe/testkit/process';
import { jsonReply, type Reply } from '@floe/testkit/reply';
import { startUpstream, type Upstream } from '@floe/testkit/upstream';
import type { Dialect } from './accounting-answers.ts';
import { rowsOf } from './rows-of.ts';

/** A way through the gateway: the surface that is asked, and the dialect of the upstream behind it. */
export interface Way {
  readonly name: string;
  readonly surface: Dialect;
  readonly path: string;
  readonly upstream: Dialect;
  /** The fake that receives it. */
  readonly host: Dialect;
  /** On passthrough, where no target is named. */
  readonly model: string;
}

const way = (surface: Dialect, upstream: Dialect, path: string, host?: Dialect): Way => ({
  name: `${path} to ${upstream}`,
  surface,
  upstream,
  host: host ?? upstream,
  path: `/gateway${path}`,
  model: host ? 'm' : `${upstream}/m`,
});

const CHAT = '/v1/chat/completions';

export const WAYS: readonly Way[] = [
  way('chat', 'chat', CHAT),
  way('chat', 'messages', CHAT),
  way('chat', 'responses', CHAT),
  way('responses', 'responses', '/v1/responses'),
  way('responses', 'chat', '/v1/responses'),
  way('messages', 'messages', '/v1/messages'),
  way('messages', 'chat', '/v1/messages'),
  way('chat', 'chat', '/passthrough-a/v1/chat/completions', 'chat'),
  way('responses', 'responses', '/passthrough-a/v1/responses', 'chat'),
  way('messages', 'messages', '/passthrough-b/v1/messages', 'messages'),
  way('embeddings', 'embeddings', '/v1/embeddings'),
];

/** A request of the way's surface. */
export function bodyOf({ surface, model }: Way, text: string, more: JsonObject = {}): JsonObject {
  if (surface === 'embeddings') return { model, input: text, ...more };
  if (surface === 'responses') return { model, input: text, store: false, ...more };
  // This dialect wants a cap.
  const least = surface === 'messages' ? { max_tokens: 4_000 } : {};
  return { model, messages: [{ role: 'user', content: text }], ...least, ...more };
}

export interface AccountingHouse {
  upstream(dialect: Dialect): Upstream;
  /** Lays out what this dialect's upstream answers from now on. */
  play(dialect: Dialect, reply: Reply): void;
  /** A caller with a budget that nobody has spent of. */
  newCaller(): Caller;
  rows(ids: readonly string[]): Promise<Map<string, JsonObject>>;
  close(): Promise<void>;
}

export interface Caller {
  ask(way: Way, body: JsonObject, options?: CallOptions): Promise<CallAnswer>;
  /** Nano-USD that the budget counts, reservations included. */
  spent(): Promise<number>;
}

export interface HouseOptions {
  /** USD per million tokens. */
  readonly price: { readonly input: number; readonly output: number };
  /** Of each caller. */
  readonly limitUsd: number;
}

const DIALECTS = ['chat', 'responses', 'messages', 'embeddings'] as const;
const CALLERS = 40;

export async function startAccountingHouse(options: HouseOptions): Promise<AccountingHouse> {
  const replies = new Map<Dialect, Reply>();
  const upstreams = new Map<Dialect, Upstream>();
  for (const dialect of DIALECTS) {
    const respond = () => replies.get(dialect) ?? jsonReply({ error: { message: 'nothing laid out' } }, 599);
    upstreams.set(dialect, await startUpstream({ respond }));
  }
  const upstream = (dialect: Dialect) => upstreams.get(dialect) ?? assert.fail(dialect);
  const keys = Array.from({ length: CALLERS }, () => `eis_${randomBytes(20).toString('hex')}`);
  const floe = await startFloe({ yaml: JSON.stringify(configOf(upstream, keys, options)) });
  const [reader = ''] = keys;
  let callers = 0;
  return {
    upstream,
    play: (dialect, reply) => void replies.set(dialect, reply),
    newCaller: () => callerAt(floe.url, keys[callers++] ?? assert.fail('too many callers')),
    rows: (ids) => rowsOf(floe.url, reader, ids),
    async close() {
      await floe.stop();
      for (const one of upstreams.values()) await one.close();
    },
  };
}

function callerAt(url: string, key: string): Caller {
  const authorization = `Bearer ${key}`;
  return {
    ask: (way, body, options = {}) => call(url + way.path, { ...options, body, headers: { authorization } }),
    async spent() {
      const standing = (await call(`${url}/gateway/v1/key`, { headers: { authorization } })).json();
      const [first] = isObject(standing) && Array.isArray(standing['budgets']) ? standing['budgets'] : [];
      return isObject(first) ? Number(first['spent_nano_usd']) : assert.fail('no budget');
    },
  };
}

function configOf(
  upstream: (dialect: Dialect) => Upstream,
  keys: readonly string[],
  { price, limitUsd }: HouseOptions,
): JsonObject {
  const common = { api_key: 'secret', models: ['m'], prices: { m: price }, breaker: { enabled: false } };
  const at = (id: Dialect) => ({ id, base_url: `${upstream(id).url}/v1`, ...common });
  const providers = [
    { ...at('chat'), kind: 'openai-compatible' },
    { ...at('responses'), kind: 'openai-compatible', dialects: ['responses'] },
    { ...at('messages'), kind: 'anthropic-compatible', base_url: upstream('messages').url },
    { ...at('embeddings'), kind: 'openai-compatible' },
    { ...at('chat'), id: 'native-chat', kind: 'openai' },
    { ...at('messages'), id: 'native-messages', kind: 'anthropic', base_url: upstream('messages').url },
  ];
  const scopes = ['gateway', 'management', 'read'];
  const budget = { name: 'each', per: 'key', period: 'total', mode: 'hard', limit_usd: limitUsd };
  return {
    orgs: [
      {
        id: 'acme',
        keys: keys.map((key, n) => ({ name: `caller-${n}`, key, scopes })),
        providers,
        passthrough: { a: ['native-chat'], b: ['native-messages'] },
        routes: [{ model: '*', retries: 0 }],
        budgets: [budget],
      },
    ],
  };
}

/** Resolves once the budget stands at `nanoUsd`: everything is settled. */
export function settledAt({ spent }: Caller, nanoUsd: number): Promise<number> {
  return eventually(async () => {
    const now = await spent();
    if (now === nanoUsd) return now;
    throw new Error(`${now} spent by the budget, ${nanoUsd} by the rows`);
  });
}
