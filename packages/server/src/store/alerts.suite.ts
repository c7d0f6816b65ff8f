import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Alert, enqueueAlert, enqueueAlerts } from '../alerts/alert.ts';
import { insertOrg } from './orgs.ts';
import type { Database } from './store-interfaces.ts';
import { TEST_ORG_ID } from './test/rows.ts';

/** Tests of the alert outbox that run for every database engine. */
export function alertsSuite(engine: string, open: (t: TestContext) => Promise<Database>): void {
  const openWithOrgs = async (t: TestContext) => {
    const database = await open(t);
    await database.transaction(async (writer) => {
      for (const id of [TEST_ORG_ID, 'org_two']) await insertOrg(writer, { id, name: id, created_at: 1 });
    });
    return database;
  };
  const stored = (database: Database) =>
    database.read.selectFrom('alerts').selectAll().orderBy('seq').execute();

  test(`${engine}: an alert exists exactly if its transaction committed`, async (t) => {
    const database = await openWithOrgs(t);
    const failing = database.transaction(async (writer) => {
      await enqueueAlert(writer, failingAlert('a'));
      throw new Error('changed my mind');
    });
    await assert.rejects(failing, /changed my mind/);
    assert.deepEqual(await stored(database), []);
    await database.transaction((writer) => enqueueAlert(writer, failingAlert('a')));
    const [row, ...more] = await stored(database);
    assert.equal(more.length, 0);
    assert.equal(row?.subject_id, 'nightly');
    assert.equal(row?.routed_at, null);
  });

  test(`${engine}: the same idempotency key twice is one alert of an organization, with the first text`, async (t) => {
    const database = await openWithOrgs(t);
    const put = (alert: Alert) => database.transaction((writer) => enqueueAlert(writer, alert));
    await put(failingAlert('same'));
    await put({ ...failingAlert('same'), at: 99 });
    await put({ ...failingAlert('same'), orgId: 'org_two' });
    await database.transaction((writer) =>
      enqueueAlerts(writer, [failingAlert('same'), failingAlert('new'), failingAlert('new')]),
    );
    const rows = await stored(database);
    assert.deepEqual(
      rows.map((row) => [row.org_id, row.idempotency_key, row.at]),
      [
        [TEST_ORG_ID, 'same', 1_000],
        ['org_two', 'same', 1_000],
        [TEST_ORG_ID, 'new', 1_000],
      ],
    );
  });

  test(`${engine}: simultaneous alerts keep their order`, async (t) => {
    const database = await openWithOrgs(t);
    const keys = Array.from({ length: 2_500 }, (_, index) => `key ${index}`);
    await database.transaction((writer) => enqueueAlerts(writer, keys.map(failingAlert)));
    assert.deepEqual(
      (await stored(database)).map((row) => row.idempotency_key),
      keys,
    );
  });
}

function failingAlert(idempotencyKey: string): Alert {
  return {
    orgId: TEST_ORG_ID,
    event: 'monitor_failing',
    subject: { kind: 'monitor', id: 'nightly', name: 'Nightly backup' },
    idempotencyKey,
    at: 1_000,
    fields: { error: 'no heartbeat', failingSinceMs: 900, lastBeatMs: null, tags: [] },
    channels: null,
  };
}
