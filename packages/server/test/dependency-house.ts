// Two processes with limits, a budget and a cache under steady load, on a PostgreSQL and a Redis that tests break.
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { isObject, type JsonObject } from '@floe/contract/json';
import { call } from '@floe/testkit/client';
import { eventually } from '@floe/testkit/patience';
import { type OwnPostgres, startPostgres } from '@floe/testkit/postgres';
import { type Floe, startFloe } from '@floe/testkit/process';
import { type OwnRedis, startRedis } from '@floe/testkit/redis';
import { jsonReply } from '@floe/testkit/reply';
import { startUpstream, type Upstream } from '@floe/testkit/upstream';
import pg from 'pg';
import { type TcpProxy, tcpProxy } from '../src/store/test/tcp-proxy.ts';
import { objectsIn } from './answers-said.ts';
import { guardedConfig } from './guarded-gateway.ts';
import { CHAT, KEYS } from './running-gateway.ts';

export const FULL = Boolean(process.env['FLOE_TEST_FULL']);
const MEMBERS = 2;
export const CLIENTS = FULL ? 24 : 6;
export const CLIENTS_OF_A_MEMBER = CLIENTS / MEMBERS;
/** Answers that a phase of a fault waits for. */
export const PHASE_ANSWERS = FULL ? 3_000 : 45;
/** Between an answer and the next question of a client: what is measured is not a machine that is full. */
const PAUSE_MS = FULL ? 0 : 50;
/** What the budget of the provider `tight` pays for. */
export const TIGHT_ANSWERS = 100;
/** 31 tokens at $1,000 a million, which is also what a request reserves. */
export const ANSWER_NANO_USD = 31_000_000;

export const ANSWER = jsonReply({
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 17, completion_tokens: 31, total_tokens: 48 },
});

export interface DependencyHouse {
  readonly floes: readonly Floe[];
  readonly postgres: OwnPostgres;
  readonly redis: OwnRedis;
  /** The ways of both processes to their stores. */
  readonly toPostgres: TcpProxy;
  readonly toRedis: TcpProxy;
  readonly upstream: Upstream;
  /** Behind the provider `tight`, which a hard budget of its own pays. */
  readonly tight: Upstream;
  readonly load: Load;
  /** A statement as the administrator, past the proxy. */
  sql(text: string): Promise<readonly Record<string, unknown>[]>;
  /** URL of the database as the processes use it, past the proxy. */
  readonly direct: string;
}

/** Limits and a budget that nobody reaches, but for that of the provider `tight`. */
export async function startDependencyHouse(t: TestContext): Promise<DependencyHouse> {
  const upstream = await startUpstream({ respond: () => ANSWER });
  const tight = await startUpstream({ respond: () => ANSWER });
  t.after(() => Promise.all([upstream.close(), tight.close()]));
  const postgres = await startPostgres({ synchronous_commit: 'on', max_connections: '30' });
  t.after(() => postgres.stop());
  const redis = await startRedis();
  t.after(() => redis.stop());
  const sql = (text: string) => ask(postgres.url, text);
  const direct = await ordinaryDatabase(postgres.url, sql);
  const toPostgres = await tcpProxy(direct.href);
  const toRedis = await tcpProxy(redis.url);
  t.after(() => Promise.all([toPostgres.close(), toRedis.close()]));
  const yaml = JSON.stringify(houseConfig(upstream.url, tight.url));
  const env = {
    FLOE_DATABASE_URL: toPostgres.url,
    FLOE_REDIS_URL: toRedis.url,
    FLOE_SECRET_KEY: 'a'.repeat(64),
  };
  const floes = await Promise.all(Array.from({ length: MEMBERS }, () => startFloe({ yaml, env })));
  const load = new Load(floes.map(({ url }) => url));
  load.start();
  t.after(async () => {
    await load.stop();
    await Promise.all(floes.map((floe) => floe.stop()));
  });
  return { floes, postgres, redis, toPostgres, toRedis, upstream, tight, load, sql, direct: direct.href };
}

/** A database and an ordinary role for it, for which the server keeps no connections back. */
async function ordinaryDatabase(url: string, sql: DependencyHouse['sql']): Promise<URL> {
  await sql(`create role app login password 'app'`);
  await sql('create database app owner app');
  const direct = new URL(url);
  direct.username = 'app';
  direct.password = 'app';
  direct.pathname = '/app';
  return direct;
}

function houseConfig(upstreamUrl: string, tightUrl: string): JsonObject {
  const budget = { scope: 'org', period: 'total', mode: 'hard' };
  return guardedConfig(upstreamUrl, {
    limits: [{ name: 'all', scope: 'org', rpm: 1_000_000, tpm: 1_000_000_000, concurrency: 1_000 }],
    budgets: [
      { ...budget, name: 'wide', limit_usd: 1_000_000, model: 'priced/*' },
      { ...budget, name: 'tight', limit_usd: TIGHT_USD, model: 'tight/*' },
    ],
    cache: { enabled: true, ttl_seconds: 3600, scope: 'org' },
    providers: [pricedProvider('priced', upstreamUrl), pricedProvider('tight', tightUrl)],
  });
}

const TIGHT_USD = (TIGHT_ANSWERS * ANSWER_NANO_USD) / 1e9;

export function pricedProvider(id: string, url: string): JsonObject {
  const prices = { model: { input: 0, output: 1000 } };
  const fake = { kind: 'openai-compatible', base_url: `${url}/v1`, api_key: 'upstream-secret' };
  return { ...fake, id, models: ['model'], prices };
}

async function ask(url: string, text: string): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

export interface Answered {
  readonly id: string;
  readonly status: number;
  readonly text: string;
  readonly ms: number;
  readonly isHit: boolean;
}

/** Clients that ask one question after the other, every fourth the same one, and what they heard in each phase. */
export class Load {
  readonly #urls: readonly string[];
  readonly #provider: string;
  readonly #phases: Answered[][] = [];
  #phase: Answered[] = [];
  #running: Promise<unknown> | null = null;
  #stopped = false;
  #sent = 0;

  constructor(urls: readonly string[], provider = 'priced') {
    this.#urls = urls;
    this.#provider = provider;
  }

  start(): void {
    this.#running = Promise.all(Array.from({ length: CLIENTS }, (_, number) => this.#client(number)));
    // Awaited by `stop`; until then nobody listens.
    this.#running.catch(() => undefined);
  }

  /** Resolves when so many answers were heard to what began from here on; more may join them. */
  async through(answers = PHASE_ANSWERS): Promise<readonly Answered[]> {
    const heard: Answered[] = [];
    this.#phase = heard;
    this.#phases.push(heard);
    while (heard.length < answers && !this.#stopped) await new Promise((resolve) => setTimeout(resolve, 5));
    return heard;
  }

  get all(): readonly Answered[] {
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
      const answer = await question(url, n % 4 === 0 ? 'same' : `${n}`, { provider: this.#provider });
      const { status, text, headers } = answer;
      const isHit = headers['x-floe-cache'] === 'hit';
      phase.push({ id: headers['x-request-id'] ?? '', status, text, ms: performance.now() - from, isHit });
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}

export function question(url: string, text: string, { provider = 'priced', key = KEYS.full as string } = {}) {
  return call(url + CHAT, {
    headers: { authorization: `Bearer ${key}` },
    body: { model: `${provider}/model`, max_tokens: 31, messages: [{ role: 'user', content: text }] },
  });
}

/** All of them were answered as if nothing had happened. */
export function assertAllServed(answers: readonly Answered[], when: string): void {
  const others = answers.filter(({ status }) => status !== 200);
  assert.deepEqual(
    others.map(({ status, text }) => `${status} ${text}`),
    [],
    when,
  );
}

/** As `eventually`, less often: each look is a request, and outages last for seconds. */
export function inAWhile<T>(look: () => Promise<T | undefined>): Promise<T> {
  return eventually(async () => {
    await new Promise((resolve) => setTimeout(resolve, 150));
    return look();
  });
}

/** A figure of a process' metrics. */
export async function figure(floe: Floe, name: string): Promise<number> {
  const { text } = await call(`${floe.url}/metrics`);
  const line = text.split('\n').find((each) => each.startsWith(`${name} `) || each.startsWith(`${name}{`));
  return Number(line?.slice(line.lastIndexOf(' ')));
}

/** What a process says to be spent of a budget. */
export async function budgetOf(floe: Floe, name: string): Promise<number> {
  const answer = await call(`${floe.url}/gateway/v1/key`, {
    headers: { authorization: `Bearer ${KEYS.full}` },
  });
  const body = answer.json();
  const budgets = isObject(body) ? objectsIn(body['budgets']) : [];
  const budget = budgets.find((each) => each['name'] === name);
  return Number(budget?.['spent_nano_usd']);
}

/** By the database at `url`; of one budget, or of all. */
export async function spentInDatabase(url: string, budget = ''): Promise<number> {
  const sum = `select coalesce(sum(spent_nano_usd), 0)::bigint as spent from budget_spend`;
  const [row] = await ask(url, `${sum} where bucket like 'b:%${budget}%'`);
  return Number(row?.['spent']);
}

/** Every answer has its row, once; what was spent is what was asked of the provider; nothing waits any more. */
export async function assertAccounts(t: TestContext, house: DependencyHouse): Promise<void> {
  const { floes, load, upstream, tight, direct } = house;
  await load.stop();
  for (const floe of floes)
    await inAWhile(async () => ((await figure(floe, 'floe_row_backlog')) === 0 ? true : undefined));
  const rows = await ask(direct, 'select id, cost_nano_usd::bigint as cost from exchanges');
  const ids = new Set(rows.map(({ id }) => String(id)));
  const answered = load.all;
  const lost = answered.filter(({ id }) => !ids.has(id));
  assert.deepEqual(lost, [], 'every answer has its row');
  assert.equal(ids.size, rows.length, 'and one only');
  const due = (upstream.requests.length + tight.requests.length) * ANSWER_NANO_USD;
  const spent = await eventually(async () => {
    const now = await spentInDatabase(direct);
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
export function latencies(answers: readonly Answered[]): string {
  const sorted = answers.map(({ ms }) => ms).sort((one, other) => one - other);
  const at = (share: number) => Math.round(sorted[Math.floor(sorted.length * share)] ?? 0);
  return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`;
}

export async function health(floe: Floe): Promise<readonly number[]> {
  const answers = await Promise.all(['/healthz', '/readyz'].map((path) => call(floe.url + path)));
  return answers.map(({ status }) => status);
}
