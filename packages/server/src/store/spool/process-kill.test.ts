// Tier: ci. Processes are killed under load.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { eventually } from '@floe/testkit/eventually';
import { systemClock } from '../../core/clock.ts';
import { silentLog } from '../../core/log.ts';
import { lockDataDir } from '../data-dir-lock.ts';
import { openDatabase } from '../open-database.ts';
import { getRollupTotals } from '../rollups/read-rollups.ts';
import { HOUR_MS } from '../rollups/rollup-accumulator.ts';
import { createTestDatabase } from '../test/postgres-database.ts';
import { TEST_ORG_ID } from '../test/rows.ts';
import { createTemporaryDirectory } from '../test/temporary-directory.ts';
import { openExchangeRowSink } from './row-sink.ts';

const ROUNDS = process.env['FLOE_TEST_FULL'] === '1' ? 60 : 4;
const PROMISED_MS = 10;
const PROGRAM = fileURLToPath(new URL('./test/appending-process.ts', import.meta.url));

/**
 * A turn of the process that took longer than this counts as this long. A machine that did not run the
 * process for a while, as a busy one with few cores does, did not run its writes either.
 */
const LONGEST_TURN_MS = 5;

/** Rows that were appended more than 10 ms before the last sign of life: all below the number returned. */
function rowsDue(path: string): number {
  const lines = readFileSync(path, 'utf8').trim().split('\n');
  const signs = lines.map((line) => line.split(' ').map(Number)).map(([at = 0, rows = 0]) => ({ at, rows }));
  let age = 0;
  let due = 0;
  for (let i = signs.length - 1; i > 0 && due === 0; i--) {
    const [later, earlier] = [signs[i], signs[i - 1]];
    if (!later || !earlier) break;
    age += Math.min(later.at - earlier.at, LONGEST_TURN_MS);
    if (age > PROMISED_MS) due = earlier.rows;
  }
  return due;
}

interface Round {
  readonly dataDir: string;
  readonly journal: string;
  readonly prefix: string;
  readonly url: string;
}

async function appendUntilKilled(t: TestContext, { dataDir, journal, prefix, url }: Round): Promise<void> {
  const child = spawn(process.execPath, [PROGRAM, dataDir, journal, prefix, url], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  // On a busy machine, the first rows can take a second.
  await eventually(() => rowsDue(journal) > 0 || undefined);
  // A real process dies at a random time, so this waits in real time.
  await wait(randomInt(30, 400));
  child.kill('SIGKILL');
  await once(child, 'exit');
}

interface Found {
  readonly ids: readonly string[];
  /** Requests that the rollups have counted so far, of every round. */
  readonly counted: number;
}

/** What the next start finds: replays the spool, then lists the ids with this prefix. */
async function restart(dataDir: string, prefix: string, url: string): Promise<Found> {
  const lock = lockDataDir(dataDir);
  const parts = { dataDir, log: silentLog, clock: systemClock };
  const database = await openDatabase(url, parts);
  const sink = await openExchangeRowSink({ ...parts, database });
  await sink.flush(30_000);
  await sink.close();
  const rows = await database.read
    .selectFrom('exchanges')
    .select('id')
    .where('id', 'like', `${prefix}%`)
    .execute();
  const all = {
    orgId: TEST_ORG_ID,
    from: 0,
    to: Date.now() + HOUR_MS,
    unit: 'hour',
    figures: ['requests'],
  } as const;
  const [counted = 0] = await getRollupTotals(database.read, all);
  await database.close();
  lock.release();
  return { ids: rows.map(({ id }) => id), counted };
}

async function killAndRestart(t: TestContext, url: string): Promise<void> {
  const dataDir = createTemporaryDirectory(t);
  let promised = 0;
  let found = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const prefix = `r${round}-`;
    const journal = join(dataDir, `${prefix}.journal`);
    await appendUntilKilled(t, { dataDir, journal, prefix, url });
    const due = rowsDue(journal);
    const { ids, counted } = await restart(dataDir, prefix, url);
    const present = new Set(ids);
    const lost = Array.from({ length: due }, (_, n) => `${prefix}${n}`).filter((id) => !present.has(id));
    assert.deepEqual([lost, ids.length - present.size], [[], 0], `round ${round}`);
    assert.ok(due > 0, `round ${round} promised nothing`);
    promised += due;
    found += ids.length;
    assert.equal(counted, found, `round ${round}: rollups and rows differ`);
  }
  t.diagnostic(`${ROUNDS} kills: ${promised} rows promised, ${found} found and counted, 0 lost, 0 doubled`);
}

test('sqlite: a process killed at any time under load loses no row older than 10 ms, and counts none twice', (t) =>
  killAndRestart(t, 'sqlite:'));

test('postgres: a process killed at any time under load loses no row older than 10 ms, and counts none twice', async (t) =>
  killAndRestart(t, await createTestDatabase(t)));
