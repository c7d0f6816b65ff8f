// What several processes share without a database server and without Redis.
// Tier: ci. Starts several processes, and kills them under load.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { isJsonObject } from '@floe/contract/json';
import { eventually } from '@floe/testkit/eventually';
import { type FloeProcess, SERVER_PROGRAM, startFloeProcess } from '@floe/testkit/floe-process';
import { callHttp } from '@floe/testkit/http-client';
import { MINIMAL_ENVIRONMENT } from '@floe/testkit/minimal-environment';
import { systemClock } from '../src/core/clock.ts';
import { silentLog } from '../src/core/log.ts';
import { openDatabase } from '../src/store/open-database.ts';
import { PRICED_ANSWER } from './dependency-fleet.ts';
import {
  CLIENTS,
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

const store = 'sqlite';
/** 17 tokens in and 31 out, at $1 and $2 per million. */
const ANSWER_NANO_USD = 79_000;
const MONITORS = ['one', 'two', 'three', 'four'].map((id) => ({ id, expected_interval_minutes: 60 }));

async function killProcess(floe: FloeProcess, number: number): Promise<void> {
  const victim = readProcessIds(floe).get(number) ?? assert.fail();
  process.kill(victim, 'SIGKILL');
  await eventually(async () => (readProcessIds(floe).get(number) === victim ? undefined : true));
}

/** Ids of beats that the server has acknowledged. */
function startBeats(floe: FloeProcess) {
  const acknowledged: string[] = [];
  let isOver = false;
  const sender = async (id: string) => {
    while (!isOver) {
      const answer = await callHttp(`${floe.url}/api/monitoring/heartbeat`, {
        method: 'POST',
        headers: { 'x-api-key': GATEWAY_KEYS.full },
        body: { monitor_id: id },
      }).catch(() => null);
      if (answer?.status !== 200 || !answer.isComplete) continue;
      const body = answer.json();
      if (isJsonObject(body)) acknowledged.push(String(body.beat_id));
    }
  };
  const senders = Promise.all(MONITORS.map(({ id }) => sender(id)));
  return {
    acknowledged,
    async stop() {
      isOver = true;
      await senders;
    },
  };
}

async function readCheckIds(dataDir: string): Promise<Set<string>> {
  const database = await openDatabase('sqlite:', { dataDir, log: silentLog, clock: systemClock });
  const rows = await database.read.selectFrom('checks').select('id').execute();
  await database.close();
  return new Set(rows.map(({ id }) => id));
}

test('a key that one process revokes is rejected by all', async (t) => {
  const { floe, chat, callApi } = await startProcesses(t, { store });
  const created = (
    await callApi('/api/management/keys', {
      method: 'POST',
      body: { name: 'temporary', scopes: ['gateway'] },
    })
  ).json();
  assert.ok(isJsonObject(created) && typeof created.key === 'string', JSON.stringify(created));
  const { key, id } = created;
  const statuses = async () => {
    const answers = [];
    // Connections are distributed in turn.
    for (let n = 0; n < PROCESSES * 2; n++) answers.push((await chat({}, key)).status);
    return new Set(answers);
  };
  await eventually(async () => ((await statuses()).has(401) ? undefined : true));
  assert.deepEqual(await statuses(), new Set([200]));
  const revoked = await callApi(`/api/management/keys/${String(id)}`, { method: 'DELETE' });
  assert.ok(revoked.status < 300, revoked.text);
  await eventually(async () => ((await statuses()).has(200) ? undefined : true));
  assert.deepEqual(await statuses(), new Set([401]));
  assert.equal(await readCounter(floe, 'floe_process_crashes_total'), 0);
});

/** A request that reached the provider. */
interface ForwardedRequest {
  readonly sentAt: number;
  readonly receivedAt: number;
}

/** The most requests that were certainly admitted within one minute: sent after its start, received before its end. */
function countWithinMinute(requests: readonly ForwardedRequest[]): number {
  const counts = requests.map(
    ({ sentAt: start }) =>
      requests.filter(({ sentAt, receivedAt }) => sentAt >= start && receivedAt <= start + 60_000).length,
  );
  return Math.max(0, ...counts);
}

test('a limit is not exceeded while processes are killed', async (t) => {
  const limit = 200;
  const sentAt: number[] = [];
  const forwarded: ForwardedRequest[] = [];
  const { floe, chat } = await startProcesses(t, {
    store,
    org: { limits: [{ name: 'all', scope: 'org', rpm: limit, concurrency: CLIENTS }] },
    respond: ({ body }) => {
      const request: unknown = JSON.parse(body.toString('utf8'));
      const at = isJsonObject(request) ? sentAt[Number(request['user'])] : undefined;
      forwarded.push({ sentAt: at ?? assert.fail(), receivedAt: performance.now() });
      return PRICED_ANSWER;
    },
  });
  const send = () => chat({ user: String(sentAt.push(performance.now()) - 1) }).catch(() => null);
  for (const number of [2, 1]) {
    const before = forwarded.length;
    const sending = sendAll(CLIENTS * 2, send);
    await eventually(async () => (forwarded.length > before ? true : undefined));
    await killProcess(floe, number);
    await sending;
  }
  // A request that was counted when its process was killed stays counted.
  await eventually(async () =>
    (await sendAll(CLIENTS, send)).some((answer) => answer?.status === 429) ? true : undefined,
  );
  const most = countWithinMinute(forwarded);
  t.diagnostic(`at most ${most} requests in a minute were sent to the provider, of ${limit}`);
  assert.ok(most <= limit, `${most} of ${limit}`);
  assert.ok(forwarded.length >= limit - 2 * CLIENTS, `${forwarded.length} of ${limit}`);
});

test('a running server can be backed up and checked, but its database cannot be replaced', async (t) => {
  const { floe, chat } = await startProcesses(t, { store });
  assert.equal((await chat()).status, 200);
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [SERVER_PROGRAM, ...args], {
      env: { ...MINIMAL_ENVIRONMENT, FLOE_DATA_DIR: floe.dataDir, FLOE_CONFIG: floe.configFile },
      encoding: 'utf8',
    });
  const file = join(floe.dataDir, 'backup.db');
  const backup = run('backup', file);
  assert.equal(backup.status, 0, backup.stderr);
  const restore = run('restore', file, '--force');
  assert.notEqual(restore.status, 0);
  assert.match(restore.stderr, /Another Floe process is using the data directory/);
  const { findings } = JSON.parse(run('doctor', '--json').stdout);
  const failed = findings.filter(
    ({ status, check }: { status: string; check: string }) => status === 'error' && check !== 'providers',
  );
  assert.deepEqual(failed, []);
});

test('acknowledged beats and answered requests survive if a process is killed, and if the server is', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'floe-processes-'));
  t.after(() => rmSync(dataDir, { recursive: true, force: true }));
  const keys = [{ name: 'full', key: GATEWAY_KEYS.full, scopes: ['gateway', 'read', 'beat'] }];
  const org = {
    keys,
    monitors: MONITORS,
    budgets: [{ name: 'all', scope: 'org', limit_usd: 1000, period: 'total' }],
  };
  const { floe, env, yaml, chat } = await startProcesses(t, { store, org, dataDir });
  const load = startLoad(() => chat());
  const beats = startBeats(floe);
  await waitForAnswers(load, 50);
  for (const number of [1, 2]) {
    await killProcess(floe, number);
    await waitForAnswers(load, 50);
  }
  const ended = [load.stop(), beats.stop()];
  await floe.kill();
  await Promise.all(ended);

  const next = await startFloeProcess({ env, dataDir, yaml });
  t.after(() => next.stop());
  await eventually(async () =>
    (await readCounter(next, 'floe_spool_pending_rows')) === 0 ? true : undefined,
  );
  const rows = new Set(await readRowIds(next));
  const lost = load.answered.filter((id) => !rows.has(id));
  // Those answered in the last 10 ms before each kill may be lost.
  assert.ok(lost.length <= 3 * CLIENTS, `${lost.length} rows are lost`);
  const callApi = (path: string) =>
    callHttp(next.url + path, { headers: { authorization: `Bearer ${GATEWAY_KEYS.full}` } });
  const spent = await readSpentNanoUsd(callApi);
  const certain = (load.answered.length - lost.length) * ANSWER_NANO_USD;
  assert.ok(spent >= certain, `${spent} of at least ${certain}`);
  await next.stop();
  const checks = await readCheckIds(dataDir);
  t.diagnostic(
    `${beats.acknowledged.length} beats, ${load.answered.length} answers, ${lost.length} rows lost`,
  );
  assert.ok(beats.acknowledged.length > 0);
  assert.deepEqual(
    beats.acknowledged.filter((id) => !checks.has(id)),
    [],
  );
});
