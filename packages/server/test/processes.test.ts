// One server of two processes, on SQLite, and on PostgreSQL and Redis.
// Tier: ci. Starts several processes, kills and restarts them under load.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { eventually } from '@floe/testkit/eventually';
import { startFloeProcess } from '@floe/testkit/floe-process';
import { callHttp } from '@floe/testkit/http-client';
import { createSseReply } from '@floe/testkit/upstream-reply';
import { PRICED_ANSWER } from './dependency-fleet.ts';
import { createGatewayCalls } from './guarded-gateway.ts';
import {
  CLIENTS,
  describeAnswers,
  isRunning,
  PROCESS_STORES,
  PROCESSES,
  readCounter,
  readProcessIds,
  readRowIds,
  readSpentNanoUsd,
  sendAll,
  startLoad,
  startProcesses,
  waitForAnswers,
} from './process-server.ts';
import { GATEWAY_KEYS } from './running-gateway.ts';

/** What `PRICED_ANSWER` costs: 17 tokens in and 31 out, at $1 and $2 per million. */
const ANSWER_NANO_USD = 79_000;
/** What a request reserves, which is charged if its process is killed. */
const RESERVED_NANO_USD = 88_000;

for (const store of PROCESS_STORES) {
  test(`${store}: processes share the port, the limits, the metrics and the log`, async (t) => {
    const limit = 100;
    const { floe, chat } = await startProcesses(t, {
      store,
      org: { limits: [{ name: 'all', scope: 'org', rpm: limit }] },
    });
    const answers = await sendAll(limit * 2, () => chat());
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

  test(`${store}: a process that is killed under load is replaced; no row and no spending is lost`, async (t) => {
    const { floe, chat, callApi } = await startProcesses(t, {
      store,
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

  test(`${store}: SIGUSR2 restarts one process at a time, and no request fails`, async (t) => {
    const event = (content: string, finish: string | null) => ({
      choices: [{ index: 0, delta: { content }, finish_reason: finish }],
    });
    const stream = createSseReply([event('one', null), event('', 'stop'), 'data: [DONE]\n\n']);
    const { floe, chat } = await startProcesses(t, {
      store,
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

  test(`${store}: after TERM, all processes finish their open requests and exit`, async (t) => {
    const { promise: gate, resolve: open } = Promise.withResolvers<typeof PRICED_ANSWER>();
    const { floe, chat, upstream } = await startProcesses(t, { store, respond: () => gate });
    const answers = Array.from({ length: 4 }, () => chat());
    await upstream.waitForRequests(4);
    const exited = floe.stop();
    await floe.waitForOutput(/"msg":"server is shutting down","process":1/);
    await floe.waitForOutput(/"msg":"server is shutting down","process":2/);
    open(PRICED_ANSWER);
    for (const answer of await Promise.all(answers)) assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(await exited, { code: 0, signal: null });
  });

  test(`${store}: if the supervisor is killed, its processes exit, and a new server continues with the same data`, async (t) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'floe-processes-'));
    t.after(() => rmSync(dataDir, { recursive: true, force: true }));
    const org = { limits: [{ name: 'all', scope: 'org', rpm: 2 }] };
    const { floe, env, yaml, chat } = await startProcesses(t, { store, dataDir, org });
    const statuses = async (send: typeof chat) => [
      (await send()).status,
      (await send()).status,
      (await send()).status,
    ];
    assert.deepEqual(await statuses(chat), [200, 200, 429]);
    const pids = [...readProcessIds(floe).values()];
    await floe.kill();
    await eventually(async () => (pids.some(isRunning) ? undefined : true));
    const next = await startFloeProcess({ env, dataDir, yaml });
    t.after(() => next.stop());
    assert.equal((await callHttp(`${next.url}/readyz`)).status, 200);
    // Counters in the supervisor are lost, those in Redis are not.
    if (store === 'sqlite')
      assert.deepEqual(await statuses(createGatewayCalls(next.url).chat), [200, 200, 429]);
  });
}

test('processes on PostgreSQL without Redis share the limits', async (t) => {
  const limit = 40;
  const { chat } = await startProcesses(t, {
    store: 'postgres',
    org: { limits: [{ name: 'all', scope: 'org', rpm: limit }] },
    env: { FLOE_REDIS_URL: '' },
  });
  const answers = await sendAll(limit * 2, () => chat());
  assert.equal(answers.filter(({ status }) => status === 200).length, limit, describeAnswers(answers));
});

test('a port that another program uses is reported once', async (t) => {
  const { floe, env } = await startProcesses(t, { store: 'postgres' });
  const port = Number(new URL(floe.url).port);
  await assert.rejects(startFloeProcess({ env, port }), (error: Error) => {
    assert.match(error.message, /the process ended \(1\)/);
    assert.equal(error.message.match(/is in use by another program/g)?.length, 1, error.message);
    return true;
  });
});

test('if a process rejects the configuration, the server exits with the error', async (t) => {
  const { env } = await startProcesses(t, { store: 'postgres' });
  await assert.rejects(
    startFloeProcess({ env: { ...env, FLOE_SECRET_KEY: 'b'.repeat(64) } }),
    /the process ended \(\d+\)[\s\S]*secret key[\s\S]*process could not be started/i,
  );
});
