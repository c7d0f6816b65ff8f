// Starts one server of two processes, and puts load on it.
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { isJsonObject, type JsonObject } from '@floe/contract/json';
import { eventually } from '@floe/testkit/eventually';
import { type FakeUpstream, type FakeUpstreamOptions, startFakeUpstream } from '@floe/testkit/fake-upstream';
import { type FloeProcess, startFloeProcess } from '@floe/testkit/floe-process';
import { callHttp, type HttpCallResponse } from '@floe/testkit/http-client';
import { startDedicatedRedis } from '@floe/testkit/redis';
import { createTestDatabase } from '../src/store/test/postgres-database.ts';
import { PRICED_ANSWER } from './dependency-fleet.ts';
import { LONG_STORE_TIMEOUT } from './gateway-fleet.ts';
import { buildGuardedConfig, createGatewayCalls } from './guarded-gateway.ts';
import { GATEWAY_KEYS } from './running-gateway.ts';

/** What the processes share: SQLite and the memory of the supervisor, or a database server and Redis. */
export const PROCESS_STORES = ['sqlite', 'postgres'] as const;
export type ProcessStore = (typeof PROCESS_STORES)[number];

export const CLIENTS = 16;
export const PROCESSES = 2;

export interface ProcessServer {
  readonly floe: FloeProcess;
  readonly upstream: FakeUpstream;
  readonly chat: ReturnType<typeof createGatewayCalls>['chat'];
  readonly callApi: ReturnType<typeof createGatewayCalls>['callApi'];
  readonly env: Readonly<Record<string, string>>;
  /** The text of `floe.yaml`. */
  readonly yaml: string;
}

interface ProcessServerOptions {
  readonly store: ProcessStore;
  readonly org?: JsonObject;
  readonly env?: Readonly<Record<string, string>>;
  readonly dataDir?: string;
  readonly respond?: Extract<FakeUpstreamOptions, { readonly respond: unknown }>['respond'];
}

export async function startProcesses(
  t: TestContext,
  { store, org = {}, env = {}, dataDir, respond }: ProcessServerOptions,
): Promise<ProcessServer> {
  const upstream = await startFakeUpstream({ respond: respond ?? (() => PRICED_ANSWER) });
  t.after(() => upstream.close());
  const all = {
    ...(store === 'postgres' ? await startStores(t) : {}),
    FLOE_PROCESSES: String(PROCESSES),
    ...env,
  };
  const yaml = JSON.stringify({ ...buildGuardedConfig(upstream.url, org), ...LONG_STORE_TIMEOUT });
  const floe = await startFloeProcess({ yaml, env: all, ...(dataDir === undefined ? {} : { dataDir }) });
  t.after(() => floe.stop());
  return { floe, upstream, env: all, yaml, ...createGatewayCalls(floe.url) };
}

async function startStores(t: TestContext) {
  const redis = await startDedicatedRedis();
  t.after(() => redis.stop());
  return {
    FLOE_DATABASE_URL: await createTestDatabase(t),
    FLOE_REDIS_URL: redis.url,
    FLOE_SECRET_KEY: 'a'.repeat(64),
  };
}

/** The process ids that the log names, by the number of the process; the newest of each. */
export function readProcessIds(floe: FloeProcess): ReadonlyMap<number, number> {
  const lines = floe
    .output()
    .matchAll(/"process":(\d+),"pid":(\d+),"msg":"process is ready to accept connections"/g);
  return new Map([...lines].map(([, number, pid]) => [Number(number), Number(pid)]));
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Each different answer of a failed request, for messages. */
export function describeAnswers(answers: readonly HttpCallResponse[]): string {
  const failed = answers.filter(({ status }) => status !== 200);
  return [...new Set(failed.map(({ status, text }) => `${status} ${text.slice(0, 120)}`))].join('\n');
}

/** The sum of a counter over all of its series. */
export async function readCounter(floe: FloeProcess, name: string): Promise<number> {
  const { status, text } = await callHttp(`${floe.url}/metrics`);
  assert.equal(status, 200, text);
  const values = [...text.matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, 'gm'))];
  return values.reduce((sum, [, value]) => sum + Number(value), 0);
}

/** Sends `count` requests, several at once, each on a new connection. */
export async function sendAll<Answer>(count: number, send: () => Promise<Answer>): Promise<Answer[]> {
  const answers: Answer[] = [];
  let sent = 0;
  const client = async () => {
    for (; sent < count; ) {
      sent += 1;
      answers.push(await send());
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return answers;
}

export interface Load {
  /** Ids of the requests that were answered completely. */
  readonly answered: string[];
  /** Everything else, as text. */
  readonly failures: string[];
  stop(): Promise<void>;
}

/** Clients that send one request after the other, each on a new connection, until they are stopped. */
export function startLoad(send: (n: number) => Promise<HttpCallResponse>): Load {
  const answered: string[] = [];
  const failures: string[] = [];
  let isOver = false;
  let sent = 0;
  const client = async () => {
    while (!isOver) {
      sent += 1;
      const answer = await send(sent).catch((error: unknown) => String(error));
      if (typeof answer === 'string') failures.push(answer);
      else if (answer.status === 200 && answer.isComplete)
        answered.push(answer.headers['x-request-id'] ?? '');
      else failures.push(`${answer.status} ${answer.text.slice(0, 200)}`);
    }
  };
  const clients = Promise.all(Array.from({ length: CLIENTS }, client));
  return {
    answered,
    failures,
    async stop() {
      isOver = true;
      await clients;
    },
  };
}

export async function waitForAnswers(load: Load, more: number): Promise<void> {
  const goal = load.answered.length + more;
  await eventually(async () => (load.answered.length >= goal ? true : undefined));
}

export async function readRowIds(floe: FloeProcess): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor = ''; ; ) {
    const path = `/api/analytics/requests?limit=500${cursor && `&cursor=${encodeURIComponent(cursor)}`}`;
    const page = (await callHttp(floe.url + path, { headers: { 'x-api-key': GATEWAY_KEYS.full } })).json();
    assert.ok(isJsonObject(page) && Array.isArray(page.data));
    for (const row of page.data) ids.push(isJsonObject(row) ? String(row.id) : '');
    if (typeof page.next_cursor !== 'string') return ids;
    cursor = page.next_cursor;
  }
}

export async function readSpentNanoUsd(callApi: ProcessServer['callApi']): Promise<number> {
  const status = (await callApi('/gateway/v1/key')).json();
  const [budget] = isJsonObject(status) && Array.isArray(status.budgets) ? status.budgets : [];
  assert.ok(isJsonObject(budget));
  return Number(budget.spent_nano_usd);
}
