// The real server for the accounting laws: every surface, in front of fake upstreams that answer as a test lays out.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { isJsonObject, type JsonObject } from '@floe/contract/json';
import { eventually } from '@floe/testkit/eventually';
import { type FakeUpstream, startFakeUpstream } from '@floe/testkit/fake-upstream';
import { startFloeProcess } from '@floe/testkit/floe-process';
import { callHttp, type HttpCallOptions, type HttpCallResponse } from '@floe/testkit/http-client';
import { createJsonReply, type UpstreamReply } from '@floe/testkit/upstream-reply';
import type { AccountingDialect } from './accounting-answers.ts';
import { waitForRows } from './wait-for-rows.ts';

/** A way through the gateway: the surface that is asked, and the dialect of the upstream behind it. */
export interface AccountingPath {
  readonly name: string;
  readonly surface: AccountingDialect;
  readonly path: string;
  readonly upstream: AccountingDialect;
  /** The fake that receives it. */
  readonly upstreamId: AccountingDialect;
  /** On passthrough, where no target is named. */
  readonly model: string;
}

const accountingPath = (
  surface: AccountingDialect,
  upstream: AccountingDialect,
  path: string,
  host?: AccountingDialect,
): AccountingPath => ({
  name: `${path} to ${upstream}`,
  surface,
  upstream,
  upstreamId: host ?? upstream,
  path: `/gateway${path}`,
  model: host ? 'm' : `${upstream}/m`,
});

const CHAT = '/v1/chat/completions';

export const ACCOUNTING_PATHS: readonly AccountingPath[] = [
  accountingPath('chat', 'chat', CHAT),
  accountingPath('chat', 'messages', CHAT),
  accountingPath('chat', 'responses', CHAT),
  accountingPath('responses', 'responses', '/v1/responses'),
  accountingPath('responses', 'chat', '/v1/responses'),
  accountingPath('messages', 'messages', '/v1/messages'),
  accountingPath('messages', 'chat', '/v1/messages'),
  accountingPath('chat', 'chat', '/passthrough-a/v1/chat/completions', 'chat'),
  accountingPath('responses', 'responses', '/passthrough-a/v1/responses', 'chat'),
  accountingPath('messages', 'messages', '/passthrough-b/v1/messages', 'messages'),
  accountingPath('embeddings', 'embeddings', '/v1/embeddings'),
];

/** A request of the way's surface. */
export function accountingBody(
  { surface, model }: AccountingPath,
  text: string,
  more: JsonObject = {},
): JsonObject {
  if (surface === 'embeddings') return { model, input: text, ...more };
  if (surface === 'responses') return { model, input: text, store: false, ...more };
  // This dialect wants a cap.
  const least = surface === 'messages' ? { max_tokens: 4_000 } : {};
  return { model, messages: [{ role: 'user', content: text }], ...least, ...more };
}

export interface AccountingGateway {
  upstream(dialect: AccountingDialect): FakeUpstream;
  /** Lays out what this dialect's upstream answers from now on. */
  setReply(dialect: AccountingDialect, reply: UpstreamReply): void;
  /** A caller with a budget that nobody has spent of. */
  createCaller(): AccountingCaller;
  rows(ids: readonly string[]): Promise<Map<string, JsonObject>>;
  close(): Promise<void>;
}

export interface AccountingCaller {
  send(way: AccountingPath, body: JsonObject, options?: HttpCallOptions): Promise<HttpCallResponse>;
  /** Nano-USD that the budget counts, reservations included. */
  getSpend(): Promise<number>;
}

export interface AccountingOptions {
  /** USD per million tokens. */
  readonly price: { readonly input: number; readonly output: number };
  /** Of each caller. */
  readonly limitUsd: number;
}

const DIALECTS = ['chat', 'responses', 'messages', 'embeddings'] as const;
const CALLERS = 40;

export async function startAccountingGateway(options: AccountingOptions): Promise<AccountingGateway> {
  const replies = new Map<AccountingDialect, UpstreamReply>();
  const upstreams = new Map<AccountingDialect, FakeUpstream>();
  for (const dialect of DIALECTS) {
    const respond = () =>
      replies.get(dialect) ?? createJsonReply({ error: { message: 'nothing laid out' } }, 599);
    upstreams.set(dialect, await startFakeUpstream({ respond }));
  }
  const upstream = (dialect: AccountingDialect) => upstreams.get(dialect) ?? assert.fail(dialect);
  const keys = Array.from({ length: CALLERS }, () => `eis_${randomBytes(20).toString('hex')}`);
  const floe = await startFloeProcess({ yaml: JSON.stringify(accountingConfig(upstream, keys, options)) });
  const [reader = ''] = keys;
  let callers = 0;
  return {
    upstream,
    setReply: (dialect, reply) => void replies.set(dialect, reply),
    createCaller: () => createAccountingCaller(floe.url, keys[callers++] ?? assert.fail('too many callers')),
    rows: (ids) => waitForRows(floe.url, reader, ids),
    async close() {
      await floe.stop();
      for (const one of upstreams.values()) await one.close();
    },
  };
}

function createAccountingCaller(url: string, key: string): AccountingCaller {
  const authorization = `Bearer ${key}`;
  return {
    send: (way, body, options = {}) =>
      callHttp(url + way.path, { ...options, body, headers: { authorization } }),
    async getSpend() {
      const standing = (await callHttp(`${url}/gateway/v1/key`, { headers: { authorization } })).json();
      const [first] = isJsonObject(standing) && Array.isArray(standing['budgets']) ? standing['budgets'] : [];
      return isJsonObject(first) ? Number(first['spent_nano_usd']) : assert.fail('no budget');
    },
  };
}

function accountingConfig(
  upstream: (dialect: AccountingDialect) => FakeUpstream,
  keys: readonly string[],
  { price, limitUsd }: AccountingOptions,
): JsonObject {
  const common = { api_key: 'secret', models: ['m'], prices: { m: price }, breaker: { enabled: false } };
  const at = (id: AccountingDialect) => ({ id, base_url: `${upstream(id).url}/v1`, ...common });
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
export function waitForSpend({ getSpend }: AccountingCaller, nanoUsd: number): Promise<number> {
  return eventually(async () => {
    const now = await getSpend();
    if (now === nanoUsd) return now;
    throw new Error(`${now} spent by the budget, ${nanoUsd} by the rows`);
  });
}
