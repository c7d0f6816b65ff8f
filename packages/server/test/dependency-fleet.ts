// Two processes with limits, a budget and a cache under steady load, on a PostgreSQL and a Redis that tests break.
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { isJsonObject, type JsonObject } from '@floe/contract/json';
import { eventually } from '@floe/testkit/eventually';
import { type FakeUpstream, startFakeUpstream } from '@floe/testkit/fake-upstream';
import { type FloeProcess, startFloeProcess } from '@floe/testkit/floe-process';
import { callHttp } from '@floe/testkit/http-client';
import { type DedicatedPostgres, startDedicatedPostgres } from '@floe/testkit/postgres';
import { type DedicatedRedis, startDedicatedRedis } from '@floe/testkit/redis';
import { createJsonReply } from '@floe/testkit/upstream-reply';
import pg from 'pg';
import { startTcpProxy, type TcpProxy } from '../src/store/test/tcp-proxy.ts';
import { objectsOrEmpty } from './answer-content.ts';
import { buildGuardedConfig } from './guarded-gateway.ts';
import { CHAT_COMPLETIONS_PATH, GATEWAY_KEYS } from './running-gateway.ts';

export const IS_FULL_RUN = Boolean(process.env['FLOE_TEST_FULL']);
const PROCESS_COUNT = 2;
export const LOAD_CLIENTS = IS_FULL_RUN ? 24 : 6;
export const CLIENTS_PER_PROCESS = LOAD_CLIENTS / PROCESS_COUNT;
/** Answers that a phase of a fault waits for. */
export const ANSWERS_PER_PHASE = IS_FULL_RUN ? 3_000 : 45;
/** Between an answer and the next question of a client: what is measured is not a machine that is full. */
const PAUSE_MS = IS_FULL_RUN ? 0 : 50;
/** What the budget of the provider `tight` pays for. */
export const TIGHT_BUDGET_ANSWERS = 100;
/** 31 tokens at $1,000 a million, which is also what a request reserves. */
export const ANSWER_COST_NANO_USD = 31_000_000;

export const PRICED_ANSWER = createJsonReply({
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 17, completion_tokens: 31, total_tokens: 48 },
});

export interface DependencyFleet {
  readonly floes: readonly FloeProcess[];
  readonly postgres: DedicatedPostgres;
  readonly redis: DedicatedRedis;
  /** The ways of both processes to their stores. */
  readonly postgresProxy: TcpProxy;
  readonly redisProxy: TcpProxy;
  readonly upstream: FakeUpstream;
  /** Behind the provider `tight`, which a hard budget of its own pays. */
  readonly tight: FakeUpstream;
  readonly load: ClientLoad;
  /** A statement as the administrator, past the proxy. */
  sql(text: string): Promise<readonly Record<string, unknown>[]>;
  /** URL of the database as the processes use it, past the proxy. */
  readonly databaseUrl: string;
}

/** Limits and a budget that nobody reaches, but for that of the provider `tight`. */
export async function startDependencyFleet(t: TestContext): Promise<DependencyFleet> {
  const upstream = await startFakeUpstream({ respond: () => PRICED_ANSWER });
  const tight = await startFakeUpstream({ respond: () => PRICED_ANSWER });
  t.after(() => Promise.all([upstream.close(), tight.close()]));
  const postgres = await startDedicatedPostgres({ synchronous_commit: 'on', max_connections: '30' });
  t.after(() => postgres.stop());
  const redis = await startDedicatedRedis();
  t.after(() => redis.stop());
  const sql = (text: string) => runQuery(postgres.url, text);
  const direct = await ordinaryDatabase(postgres.url, sql);
  const toPostgres = await startTcpProxy(direct.href);
  const toRedis = await startTcpProxy(redis.url);
  t.after(() => Promise.all([toPostgres.close(), toRedis.close()]));
  const yaml = JSON.stringify(fleetConfig(upstream.url, tight.url));
  const env = {
    FLOE_DATABASE_URL: toPostgres.url,
    FLOE_REDIS_URL: toRedis.url,
    FLOE_SECRET_KEY: 'a'.repeat(64),
  };
  const floes = await Promise.all(
    Array.from({ length: PROCESS_COUNT }, () => startFloeProcess({ yaml, env })),
  );
  const load = new ClientLoad(floes.map(({ url }) => url));
  load.start();
  t.after(async () => {
    await load.stop();
    await Promise.all(floes.map((floe) => floe.stop()));
  });
  return {
    floes,
    postgres,
    redis,
    postgresProxy: toPostgres,
    redisProxy: toRedis,
    upstream,
    tight,
    load,
    sql,
    databaseUrl: direct.href,
  };
}

/** A database and an ordinary role for it, for which the server keeps no connections back. */
async function ordinaryDatabase(url: string, sql: DependencyFleet['sql']): Promise<URL> {
  await sql(`create role app login password 'app'`);
  await sql('create database app owner app');
  const direct = new URL(url);
  direct.username = 'app';
  direct.password = 'app';
  direct.pathname = '/app';
  return direct;
}

function fleetConfig(upstreamUrl: string, tightUrl: string): JsonObject {
  const budget = { scope: 'org', period: 'total', mode: 'hard' };
  return buildGuardedConfig(upstreamUrl, {
    limits: [{ name: 'all', scope: 'org', rpm: 1_000_000, tpm: 1_000_000_000, concurrency: 1_000 }],
    budgets: [
      { ...budget, name: 'wide', limit_usd: 1_000_000, model: 'priced/*' },
      { ...budget, name: 'tight', limit_usd: TIGHT_USD, model: 'tight/*' },
    ],
    cache: { enabled: true, ttl_seconds: 3600, scope: 'org' },
    providers: [pricedProviderConfig('priced', upstreamUrl), pricedProviderConfig('tight', tightUrl)],
  });
}

const TIGHT_USD = (TIGHT_BUDGET_ANSWERS * ANSWER_COST_NANO_USD) / 1e9;

export function pricedProviderConfig(id: string, url: string): JsonObject {
  const prices = { model: { input: 0, output: 1000 } };
  const fake = { kind: 'openai-compatible', base_url: `${url}/v1`, api_key: 'upstream-secret' };
  return { ...fake, id, models: ['model'], prices };
}

async function runQuery(url: string, text: string): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

export interface LoadAnswer {
  readonly id: string;
  readonly status: number;
  readonly text: string;
  readonly ms: number;
  readonly isCacheHit: boolean;
}

/** Clients that ask one question after the other, every fourth the same one, and what they heard in each phase. */
export class ClientLoad {
  readonly #urls: readonly string[];
  readonly #provider: string;
  readonly #phases: LoadAnswer[][] = [];
  #phase: LoadAnswer[] = [];
  #running: Promise<unknown> | null = null;
  #stopped = false;
  #sent = 0;

  constructor(urls: readonly string[], provider = 'priced') {
    this.#urls = urls;
    this.#provider = provider;
  }

  start(): void {
    this.#running = Promise.all(Array.from({ length: LOAD_CLIENTS }, (_, number) => this.#client(number)));
    // Awaited by `stop`; until then nobody listens.
    this.#running.catch(() => undefined);
  }

  /** Resolves when so many answers were heard to what began from here on; more may join them. */
  async through(answers = ANSWERS_PER_PHASE): Promise<readonly LoadAnswer[]> {
    const heard: LoadAnswer[] = [];
    this.#phase = heard;
    this.#phases.push(heard);
    while (heard.length < answers && !this.#stopped) await new Promise((resolve) => setTimeout(resolve, 5));
    return heard;
  }

  get all(): readonly LoadAnswer[] {
    return this.#phases.flat();
  }

  /** Lets what is under way end. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
  }

  async #client(number: number): Promise<void> {
    while (!this.#stopped) {
      const n = this.#sent++;
      const phase = this.#phase;
      const from = performance.now();
      const url = this.#urls[number % this.#urls.length] ?? '';
      const answer = await sendQuestion(url, n % 4 === 0 ? 'same' : `${n}`, { provider: this.#provider });
      const { status, text, headers } = answer;
      const ms = performance.now() - from;
      const isCacheHit = headers['x-floe-cache'] === 'hit';
      phase.push({ id: headers['x-request-id'] ?? '', status, text, ms, isCacheHit });
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}

export function sendQuestion(
  url: string,
  text: string,
  { provider = 'priced', key = GATEWAY_KEYS.full as string } = {},
) {
  return callHttp(url + CHAT_COMPLETIONS_PATH, {
    headers: { authorization: `Bearer ${key}` },
    body: { model: `${provider}/model`, max_tokens: 31, messages: [{ role: 'user', content: text }] },
  });
}

/** All of them were answered as if nothing had happened. */
export function assertAllServed(answers: readonly LoadAnswer[], when: string): void {
  const others = answers.filter(({ status }) => status !== 200);
  assert.deepEqual(
    others.map(({ status, text }) => `${status} ${text}`),
    [],
    when,
  );
}

/** As `eventually`, less often: each look is a request, and outages last for seconds. */
export function pollSlowly<T>(look: () => Promise<T | undefined>): Promise<T> {
  return eventually(async () => {
    await new Promise((resolve) => setTimeout(resolve, 150));
    return look();
  });
}

/** A figure of a process' metrics. */
export async function readMetric(floe: FloeProcess, name: string): Promise<number> {
  const { text } = await callHttp(`${floe.url}/metrics`);
  const line = text.split('\n').find((each) => each.startsWith(`${name} `) || each.startsWith(`${name}{`));
  return Number(line?.slice(line.lastIndexOf(' ')));
}

/** What a process says to be spent of a budget. */
export async function readBudgetSpend(floe: FloeProcess, name: string): Promise<number> {
  const answer = await callHttp(`${floe.url}/gateway/v1/key`, {
    headers: { authorization: `Bearer ${GATEWAY_KEYS.full}` },
  });
  const body = answer.json();
  const budgets = isJsonObject(body) ? objectsOrEmpty(body['budgets']) : [];
  const budget = budgets.find((each) => each['name'] === name);
  return Number(budget?.['spent_nano_usd']);
}

/** By the database at `url`; of one budget, or of all. */
export async function readDatabaseSpend(url: string, budget = ''): Promise<number> {
  const sum = `select coalesce(sum(spent_nano_usd), 0)::bigint as spent from budget_spend`;
  const [row] = await runQuery(url, `${sum} where bucket like 'b:%${budget}%:total:%'`);
  return Number(row?.['spent']);
}

/** Every answer has its row, once; what was spent is what was asked of the provider; nothing waits any more. */
export async function assertAccountsBalance(t: TestContext, harness: DependencyFleet): Promise<void> {
  const { floes, load, upstream, tight, databaseUrl } = harness;
  await load.stop();
  for (const floe of floes)
    await pollSlowly(async () =>
      (await readMetric(floe, 'floe_spool_pending_rows')) === 0 ? true : undefined,
    );
  const rows = await runQuery(databaseUrl, 'select id, cost_nano_usd::bigint as cost from exchanges');
  const ids = new Set(rows.map(({ id }) => String(id)));
  const answered = load.all;
  const lost = answered.filter(({ id }) => !ids.has(id));
  assert.deepEqual(lost, [], 'every answer has its row');
  assert.equal(ids.size, rows.length, 'and one only');
  const due = (upstream.requests.length + tight.requests.length) * ANSWER_COST_NANO_USD;
  const spent = await eventually(async () => {
    const now = await readDatabaseSpend(databaseUrl);
    return now === due ? now : undefined;
  });
  assert.equal(
    rows.reduce((sum, { cost }) => sum + Number(cost ?? 0), 0),
    spent,
    'rows and budget agree',
  );
  t.diagnostic(
    `${answered.length} answers, ${rows.length} rows, 0 lost, 0 doubled; ${spent / 1e9} USD spent`,
  );
}

/** How long they took, in milliseconds. */
export function formatLatencies(answers: readonly LoadAnswer[]): string {
  const sorted = answers.map(({ ms }) => ms).sort((one, other) => one - other);
  const at = (share: number) => Math.round(sorted[Math.floor(sorted.length * share)] ?? 0);
  return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`;
}

export async function readHealth(floe: FloeProcess): Promise<readonly number[]> {
  const answers = await Promise.all(
    ['/healthz', '/readyz', '/readyz?for=api'].map((path) => callHttp(floe.url + path)),
  );
  return answers.map(({ status }) => status);
}
