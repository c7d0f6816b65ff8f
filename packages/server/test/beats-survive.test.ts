// Tier: ci. Processes are killed under load.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { isJsonObject } from '@floe/contract/json';
import { eventually } from '@floe/testkit/eventually';
import { type FloeProcess, startFloeProcess } from '@floe/testkit/floe-process';
import { callHttp } from '@floe/testkit/http-client';
import { systemClock } from '../src/core/clock.ts';
import { silentLog } from '../src/core/log.ts';
import { openDatabase } from '../src/store/open-database.ts';
import type { Database } from '../src/store/store-interfaces.ts';
import { createTestDatabase } from '../src/store/test/postgres-database.ts';

const KEY = `eis_beat${'0'.repeat(40)}`;
const ROUNDS = process.env['FLOE_TEST_FULL'] === undefined ? 2 : 15;
const CLIENTS = 8;
/** Monitors that fall silent in each round. */
const DEAD = 25;
const HOUR_MS = 3_600_000;

const jobs = Array.from({ length: CLIENTS }, (_, n) => `job-${n}`);
const dead = (round: number) => Array.from({ length: DEAD }, (_, n) => `dead-${round}-${n}`);
const allDead = Array.from({ length: ROUNDS }, (_, round) => dead(round)).flat();
const yaml = JSON.stringify({
  orgs: [
    {
      id: 'acme',
      keys: [{ name: 'beat', key: KEY, scopes: ['beat'] }],
      monitors: [...jobs, ...allDead].map((id) => ({ id, expected_interval_minutes: 60 })),
    },
  ],
});

async function beat(url: string, id: string): Promise<string | null> {
  const answer = await callHttp(`${url}/api/monitoring/heartbeat`, {
    method: 'POST',
    headers: { 'x-api-key': KEY },
    body: { monitor_id: id },
  }).catch(() => null);
  if (answer?.status !== 200 || !answer.isComplete) return null;
  const body: unknown = answer.json();
  return isJsonObject(body) ? String(body['beat_id']) : null;
}

/** Clients that beat until the server is gone; every acknowledged id is kept. */
function load(url: string, acknowledged: string[]) {
  let going = true;
  const client = async (id: string) => {
    while (going) {
      const beatId = await beat(url, id);
      if (beatId !== null) acknowledged.push(beatId);
      else going = false;
    }
  };
  return Promise.all(jobs.map(client));
}

/** Overdue since an instant this server watched, as if their last beat had been an hour earlier. */
async function silence(database: Database, ids: readonly string[]): Promise<number> {
  return database.rowTransaction(async (writer) => {
    const pulse = await writer.selectFrom('monitor_pulse').select('seen_at').executeTakeFirstOrThrow();
    const at = pulse.seen_at - 1;
    await writer
      .updateTable('monitor_clocks')
      .set({
        status: 'healthy',
        last_beat_at: at - HOUR_MS,
        anchor_at: at - HOUR_MS,
        period_at: at - HOUR_MS,
      })
      .set({ expected_at: at, due_at: at, wake_at: at, settled_at: at })
      .where('id', 'in', ids)
      .execute();
    return at;
  });
}

/** Whether a pulse came after the one that ended the last gap. */
async function watched(database: Database): Promise<boolean> {
  const pulse = await database.read.selectFrom('monitor_pulse').select('seen_at').executeTakeFirst();
  const gap = await database.read
    .selectFrom('monitor_gaps')
    .select('ended_at')
    .orderBy('ended_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return pulse !== undefined && pulse.seen_at > (gap?.ended_at ?? 0) + 1;
}

async function idsOf(database: Database, status: string): Promise<Set<string>> {
  const rows = await database.read.selectFrom('checks').select('id').where('status', '=', status).execute();
  return new Set(rows.map(({ id }) => id));
}

async function countsBy(database: Database, deadIds: readonly string[]) {
  const { read } = database;
  const named = await read.selectFrom('monitors').select(['uid', 'id']).where('id', 'in', deadIds).execute();
  const uids = named.map(({ uid }) => uid);
  const missed = await read
    .selectFrom('checks')
    .select(['uid', 'expected_at as at'])
    .where('uid', 'in', uids)
    .where('status', '=', 'missed')
    .execute();
  const failing = await read
    .selectFrom('monitor_periods')
    .select(['uid', 'started_at as at'])
    .where('uid', 'in', uids)
    .where('status', '=', 'failing')
    .execute();
  const alerts = await read
    .selectFrom('alerts')
    .select('subject_id as id')
    .where('event', '=', 'monitor_failing')
    .execute();
  const id = new Map(named.map((row) => [row.uid, row.id]));
  const lines = (rows: readonly { uid: string; at: number | null }[]) =>
    rows.map(({ uid, at }) => `${id.get(uid)} ${at}`).toSorted();
  return { missed: lines(missed), failing: lines(failing), alerts: alerts.map((row) => row.id).toSorted() };
}

/** @throws Error when it does not become true in 10 seconds. */
async function until(is: () => Promise<boolean>): Promise<void> {
  await eventually(async () => ((await is()) ? true : undefined));
}

async function survives(t: TestContext, url: string | null): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'floe-beats-'));
  t.after(() => rmSync(dataDir, { recursive: true, force: true }));
  const store = url === null ? {} : { FLOE_DATABASE_URL: url, FLOE_SECRET_KEY: 'survive'.repeat(10) };
  const start = (): Promise<FloeProcess> =>
    startFloeProcess({ yaml, dataDir, env: { FLOE_LOG_LEVEL: 'error', ...store }, startTimeoutMs: 60_000 });
  const acknowledged: string[] = [];
  const due = new Map<string, number>();
  let database: Database | null = null;
  for (let round = 0; round < ROUNDS; round++) {
    const floe = await start();
    database ??= await openDatabase(url ?? `sqlite:${join(dataDir, 'floe.db')}`, {
      dataDir,
      log: silentLog,
      clock: systemClock,
    });
    const open = database;
    const under = load(floe.url, acknowledged);
    await until(() => watched(open));
    const at = await silence(open, dead(round));
    for (const id of dead(round)) due.set(id, at);
    // Anywhere from before the sweep that finds them to after it, in the middle of what is then under way.
    const killAt = acknowledged.length + ((round * 97) % 400);
    await until(async () => acknowledged.length >= killAt);
    await floe.kill();
    await under;
  }
  assert.ok(database);
  const last = await start();
  const open = database;
  await until(async () => (await countsBy(open, allDead)).missed.length >= allDead.length);
  await last.stop();
  const written = await idsOf(open, 'ok');
  const lost = acknowledged.filter((id) => !written.has(id));
  const { missed, failing, alerts } = await countsBy(open, allDead);
  await open.close();
  t.diagnostic(
    `${acknowledged.length} beats acknowledged over ${ROUNDS} kills, ${lost.length} lost; ` +
      `${missed.length} misses, ${failing.length} failing periods and ${alerts.length} alerts of ${allDead.length} silent jobs`,
  );
  const expected = [...due].map(([id, at]) => `${id} ${at}`).toSorted();
  assert.deepEqual(lost, []);
  assert.deepEqual(missed, expected, 'each promise broken once');
  assert.deepEqual(failing, expected, 'one failing period each, from its deadline on');
  assert.deepEqual(alerts, allDead.toSorted(), 'one alert each');
}

test('sqlite: killed at any time under load, no beat, miss, period or alert is lost or duplicated (6.2)', (t) =>
  survives(t, null));

test('postgres: killed at any time under load, no beat, miss, period or alert is lost or duplicated (6.2)', async (t) =>
  survives(t, await createTestDatabase(t)));
