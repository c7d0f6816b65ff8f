import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { isObject } from '@floe/contract/json';
import { call } from '@floe/testkit/client';
import { startFloe } from '@floe/testkit/process';

const KEY = `eis_beat${'0'.repeat(40)}`;
const ROUNDS = process.env['FLOE_TEST_FULL'] === undefined ? 2 : 12;
const CLIENTS = 8;

const monitors = [
  ...Array.from({ length: CLIENTS }, (_, n) => ({ id: `job-${n}`, expected_interval_minutes: 60 })),
  { id: 'dead', expected_interval_minutes: 0.5, grace_period_minutes: 0 },
];
const yaml = JSON.stringify({
  orgs: [{ id: 'acme', keys: [{ name: 'beat', key: KEY, scopes: ['beat'] }], monitors }],
});

async function beat(url: string, id: string): Promise<string | null> {
  const answer = await call(`${url}/api/monitoring/heartbeat`, {
    method: 'POST',
    headers: { 'x-api-key': KEY },
    body: { monitor_id: id },
  }).catch(() => null);
  if (answer?.status !== 200 || !answer.complete) return null;
  const body: unknown = answer.json();
  return isObject(body) ? String(body['beat_id']) : null;
}

test('killed at any moment under load: no acknowledged beat is lost, no miss doubled, one failing period', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'floe-beats-'));
  t.after(() => rmSync(dataDir, { recursive: true, force: true }));
  const acknowledged: string[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const floe = await startFloe({ yaml, dataDir, env: { FLOE_LOG_LEVEL: 'error' } });
    let going = true;
    const killAfter = acknowledged.length + 40 + 31 * round;
    const client = async (n: number) => {
      while (going) {
        const id = await beat(floe.url, `job-${n}`);
        if (id !== null) acknowledged.push(id);
        if (acknowledged.length >= killAfter) going = false;
      }
    };
    if (round === 0) await beat(floe.url, 'dead');
    const load = Promise.all(Array.from({ length: CLIENTS }, (_, n) => client(n)));
    // The load ends itself after so many beats; the kill comes in the middle of what is then under way.
    while (acknowledged.length < killAfter) await new Promise((resolve) => setImmediate(resolve));
    await floe.kill9();
    await load;
  }
  const database = new DatabaseSync(join(dataDir, 'floe.db'));
  const ids = new Set(
    database
      .prepare("select id from checks where status = 'ok'")
      .all()
      .map((row) => row['id']),
  );
  const lost = acknowledged.filter((id) => !ids.has(id));
  t.diagnostic(`${acknowledged.length} beats acknowledged over ${ROUNDS} kills, ${lost.length} lost`);
  assert.deepEqual(lost, []);
  assert.ok(acknowledged.length >= 40 * ROUNDS);
  const doubled = database
    .prepare(
      "select uid, expected_at from checks where status = 'missed' group by uid, expected_at having count(*) > 1",
    )
    .all();
  assert.deepEqual(doubled, []);
  const failing = database
    .prepare("select uid, count(*) as n from monitor_periods where status = 'failing' group by uid")
    .all();
  assert.ok(failing.every((row) => Number(row['n']) <= 1));
  database.close();
});
