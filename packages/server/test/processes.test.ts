// One server of two processes, on PostgreSQL and Redis.
// Tier: ci. Starts several processes, kills and restarts them under load.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { isJsonObject, type JsonObject } from '@floe/contract/json';
import { eventually } from '@floe/testkit/eventually';
import { type FakeUpstream, type FakeUpstreamOptions, startFakeUpstream } from '@floe/testkit/fake-upstream';
import { type FloeProcess, startFloeProcess } from '@floe/testkit/floe-process';
import { callHttp, type HttpCallResponse } from '@floe/testkit/http-client';
import { startDedicatedRedis } from '@floe/testkit/redis';
import { createSseReply } from '@floe/testkit/upstream-reply';
import { createTestDatabase } from '../src/store/test/postgres-database.ts';
import { PRICED_ANSWER } from './dependency-fleet.ts';
import { LONG_STORE_TIMEOUT } from './gateway-fleet.ts';
import { buildGuardedConfig, createGatewayCalls } from './guarded-gateway.ts';
import { GATEWAY_KEYS } from './running-gateway.ts';

const CLIENTS = 16;
const PROCESSES = 2;
/** What `PRICED_ANSWER` costs: 17 tokens in and 31 out, at $1 and $2 per million. */
const ANSWER_NANO_USD = 79_000;
/** What a request reserves, which is charged if its process is killed. */
const RESERVED_NANO_USD = 88_000;

interface ProcessServer {
  readonly floe: FloeProcess;
  readonly upstream: FakeUpstream;
  readonly chat: ReturnType<typeof createGatewayCalls>['chat'];
  readonly callApi: ReturnType<typeof createGatewayCalls>['callApi'];
  readonly env: Readonly<Record<string, string>>;
}

interface ProcessServerOptions {
  readonly org?: JsonObject;
  readonly env?: Readonly<Record<string, string>>;
  readonly dataDir?: string;
  readonly respond?: Extract<FakeUpstreamOptions, { readonly respond: unknown }>['respond'];
}

async function startProcesses(
  t: TestContext,
  { org = {}, env = {}, dataDir, respond }: ProcessServerOptions = {},
): Promise<ProcessServer> {
  const upstream = await startFakeUpstream({ respond: respond ?? (() => PRICED_ANSWER) });
  t.after(() => upstream.close());
  const redis = await startDedicatedRedis();
  t.after(() => redis.stop());
  const all = {
    FLOE_DATABASE_URL: await createTestDatabase(t),
    FLOE_REDIS_URL: redis.url,
    FLOE_SECRET_KEY: 'a'.repeat(64),
    FLOE_PROCESSES: String(PROCESSES),
    ...env,
  };
  const yaml = JSON.stringify({ ...buildGuardedConfig(upstream.url, org), ...LONG_STORE_TIMEOUT });
  const floe = await startFloeProcess({ yaml, env: all, ...(dataDir === undefined ? {} : { dataDir }) });
  t.after(() => floe.stop());
  return { floe, upstream, env: all, ...createGatewayCalls(floe.url) };
}

/** The process ids that the log names, by the number of the process; the newest of each. */
function readProcessIds(floe: FloeProcess): ReadonlyMap<number, number> {
  const lines = floe
    .output()
    .matchAll(/"process":(\d+),"pid":(\d+),"msg":"process is ready to accept connections"/g);
  return new Map([...lines].map(([, number, pid]) => [Number(number), Number(pid)]));
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Each different answer of a failed request, for messages. */
function describeAnswers(answers: readonly HttpCallResponse[]): string {
  const failed = answers.filter(({ status }) => status !== 200);
  return [...new Set(failed.map(({ status, text }) => `${status} ${text.slice(0, 120)}`))].join('\n');
}

/** The sum of a counter over all of its series. */
async function readCounter(floe: FloeProcess, name: string): Promise<number> {
  const { status, text } = await callHttp(`${floe.url}/metrics`);
  assert.equal(status, 200, text);
  const values = [...text.matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, 'gm'))];
  return values.reduce((sum, [, value]) => sum + Number(value), 0);
}

interface Load {
  /** Ids of the requests that were answered completely. */
  readonly answered: string[];
  /** Everything else, as text. */
  readonly failures: string[];
  stop(): Promise<void>;
}

/** Clients that send one request after the other, each on a new connection, until they are stopped. */
function startLoad(send: (n: number) => Promise<HttpCallResponse>): Load {
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

async function waitForAnswers(load: Load, more: number): Promise<void> {
  const goal = load.answered.length + more;
  await eventually(async () => (load.answered.length >= goal ? true : undefined));
}

async function readRowIds(floe: FloeProcess): Promise<string[]> {
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

async function readSpentNanoUsd(callApi: ProcessServer['callApi']): Promise<number> {
  const status = (await callApi('/gateway/v1/key')).json();
  const [budget] = isJsonObject(status) && Array.isArray(status.budgets) ? status.budgets : [];
  assert.ok(isJsonObject(budget));
  return Number(budget.spent_nano_usd);
}

test('processes share the port, the limits, the metrics and the log', async (t) => {
  const limit = 100;
  const { floe, chat } = await startProcesses(t, {
    org: { limits: [{ name: 'all', scope: 'org', rpm: limit }] },
  });
  const answers = await Promise.all(Array.from({ length: limit * 2 }, () => chat()));
  const refused = answers.filter(({ status }) => status !== 200);
  assert.equal(refused.length, limit, describeAnswers(answers));
  assert.ok(
    refused.every(({ status }) => status === 429),
    describeAnswers(answers),
  );

  assert.equal(await readCounter(floe, 'floe_exchanges_total'), limit * 2);
  const { text } = await callHttp(`${floe.url}/metrics`);
  for (const number of [1, 2]) {
    assert.match(text, new RegExp(`^floe_process_up\\{process="${number}"\\} 1$`, 'm'));
    assert.match(text, new RegExp(`^process_start_time_seconds\\{process="${number}"\\} \\d`, 'm'));
  }
  const types = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
  assert.equal(new Set(types).size, types.length, 'no metric is declared twice');

  const lines = floe.output().trim().split('\n');
  const banners = lines.filter((line) => line.includes('"msg":"server is listening"'));
  assert.equal(banners.length, 1, banners.join('\n'));
  assert.equal(readProcessIds(floe).size, PROCESSES);
  const served = await eventually(async () => {
    const accesses = floe.output().matchAll(/"x?status":.*"process":(\d+)\}$/gm);
    const numbers = new Set([...accesses].map(([, number]) => number));
    return numbers.size === PROCESSES ? numbers : undefined;
  });
  assert.deepEqual([...served].sort(), ['1', '2'], 'both processes served requests');
});

test('a process that is killed under load is replaced; no row and no spending is lost', async (t) => {
  const { floe, chat, callApi } = await startProcesses(t, {
    org: { budgets: [{ name: 'all', scope: 'org', limit_usd: 1000, period: 'total' }] },
  });
  const before = readProcessIds(floe);
  const load = startLoad(() => chat({}, GATEWAY_KEYS.full, AbortSignal.timeout(20_000)));
  await waitForAnswers(load, 200);
  const victim = before.get(2) ?? 0;
  const failedBefore = load.failures.length;
  process.kill(victim, 'SIGKILL');
  await floe.waitForOutput(/"process":2,.*"signal":"SIGKILL".*process exited unexpectedly/);
  await eventually(async () => (readProcessIds(floe).get(2) === victim ? undefined : true));
  await waitForAnswers(load, 200);
  await load.stop();
  assert.equal(failedBefore, 0, load.failures.join('\n'));
  assert.ok(load.failures.length <= CLIENTS, load.failures.join('\n'));
  assert.deepEqual(
    load.failures.filter((failure) => /timeout|abort/i.test(failure)),
    [],
    'a connection to the killed process ends at once',
  );
  assert.equal(readProcessIds(floe).get(1), before.get(1), 'the other process continued');

  await eventually(async () =>
    (await readCounter(floe, 'floe_spool_pending_rows')) === 0 ? true : undefined,
  );
  const rows = new Set(await readRowIds(floe));
  const lost = load.answered.filter((id) => !rows.has(id));
  // Those answered in the last 10 ms before the kill may be lost.
  assert.ok(lost.length <= CLIENTS, `${lost.length} rows are lost`);
  const spent = await readSpentNanoUsd(callApi);
  t.diagnostic(
    `${load.answered.length} answered, ${load.failures.length} failed, ${rows.size} rows, ${lost.length} of the last 10 ms lost; spent ${spent} nano-USD`,
  );
  const certain = (load.answered.length - lost.length) * ANSWER_NANO_USD;
  assert.ok(spent >= certain, `${spent} of at least ${certain}`);
  const most = load.answered.length * ANSWER_NANO_USD + CLIENTS * RESERVED_NANO_USD;
  assert.ok(spent <= most, `${spent} of at most ${most}`);
  assert.equal(await readCounter(floe, 'floe_process_crashes_total'), 1);
});

test('SIGUSR2 restarts one process at a time, and no request fails', async (t) => {
  const event = (content: string, finish: string | null) => ({
    choices: [{ index: 0, delta: { content }, finish_reason: finish }],
  });
  const stream = createSseReply([event('one', null), event('', 'stop'), 'data: [DONE]\n\n']);
  const { floe, chat } = await startProcesses(t, {
    env: { FLOE_SHUTDOWN_DELAY_MS: '1000' },
    respond: ({ body }) => (body.includes('"stream":true') ? stream : PRICED_ANSWER),
  });
  const before = readProcessIds(floe);
  const load = startLoad((n) => chat(n % 4 === 0 ? { stream: true } : {}));
  await waitForAnswers(load, 50);
  process.kill(floe.pid, 'SIGUSR2');
  await floe.waitForOutput(/all processes were restarted/);
  await waitForAnswers(load, 50);
  await load.stop();
  const after = readProcessIds(floe);
  for (const number of [1, 2]) assert.notEqual(after.get(number), before.get(number));
  t.diagnostic(`2 restarts: ${load.answered.length} requests, ${load.failures.length} failed`);
  assert.deepEqual(load.failures, []);
  assert.equal(
    await readCounter(floe, 'floe_exchanges_total'),
    load.answered.length,
    'the counters of replaced processes are kept',
  );
  assert.equal(floe.output().match(/"msg":"server is listening"/g)?.length, 1);
});

test('after TERM, all processes finish their open requests and exit', async (t) => {
  const { promise: gate, resolve: open } = Promise.withResolvers<typeof PRICED_ANSWER>();
  const { floe, chat, upstream } = await startProcesses(t, { respond: () => gate });
  const answers = Array.from({ length: 4 }, () => chat());
  await upstream.waitForRequests(4);
  const exited = floe.stop();
  await floe.waitForOutput(/"msg":"server is shutting down","process":1/);
  await floe.waitForOutput(/"msg":"server is shutting down","process":2/);
  open(PRICED_ANSWER);
  for (const answer of await Promise.all(answers)) assert.equal(answer.status, 200, answer.text);
  assert.deepEqual(await exited, { code: 0, signal: null });
});

test('if the supervisor is killed, its processes exit, and a new server continues with the same data', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'floe-processes-'));
  t.after(() => rmSync(dataDir, { recursive: true, force: true }));
  const { floe, env, chat } = await startProcesses(t, { dataDir });
  assert.equal((await chat()).status, 200);
  const pids = [...readProcessIds(floe).values()];
  await floe.kill();
  await eventually(async () => (pids.some(isRunning) ? undefined : true));
  const next = await startFloeProcess({ env, dataDir });
  t.after(() => next.stop());
  assert.equal((await callHttp(`${next.url}/readyz`)).status, 200);
});

test('a port that another program uses is reported once', async (t) => {
  const { floe, env } = await startProcesses(t);
  const port = Number(new URL(floe.url).port);
  await assert.rejects(startFloeProcess({ env, port }), (error: Error) => {
    assert.match(error.message, /the process ended \(1\)/);
    assert.equal(error.message.match(/is in use by another program/g)?.length, 1, error.message);
    return true;
  });
});

test('if a process rejects the configuration, the server exits with the error', async (t) => {
  const { env } = await startProcesses(t);
  await assert.rejects(
    startFloeProcess({ env: { ...env, FLOE_SECRET_KEY: 'b'.repeat(64) } }),
    /the process ended \(\d+\)[\s\S]*secret key[\s\S]*process could not be started/i,
  );
});
