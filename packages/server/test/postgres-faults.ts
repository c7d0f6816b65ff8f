// A PostgreSQL that dies, freezes, grows slow or has no connection left, under a load with limits, a budget and a cache.
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { FloeProcess } from '@floe/testkit/floe-process';
import pg from 'pg';
import {
  assertAllServed,
  type DependencyFleet,
  formatLatencies,
  pollSlowly,
  readHealth,
  readMetric,
  sendQuestion,
} from './dependency-fleet.ts';

const UNKNOWN_KEY = `eis_unknown${'0'.repeat(32)}`;

/** What a process says of a key that it does not know. */
async function unknownKey({ floes }: DependencyFleet): Promise<number[]> {
  const asked = floes.map(({ url }) => sendQuestion(url, 'who am I', { key: UNKNOWN_KEY }));
  return (await Promise.all(asked)).map(({ status }) => status);
}

async function waitForHealth({ floes }: DependencyFleet, ready: number): Promise<void> {
  const until = (floe: FloeProcess) =>
    pollSlowly(async () => {
      const [alive, isReady, isReadyForApi] = await readHealth(floe);
      // The gateway is ready without the database: known keys are served.
      assert.deepEqual([alive, isReady], [200, 200]);
      return isReadyForApi === ready ? true : undefined;
    });
  await Promise.all(floes.map(until));
}

async function waitForUnknownKeyStatus(harness: DependencyFleet, status: number): Promise<void> {
  await pollSlowly(async () =>
    (await unknownKey(harness)).every((each) => each === status) ? true : undefined,
  );
}

/** What PostgreSQL may do; between and after, everybody has an answer. `quiet` is how long answers take without. */
export async function runPostgresFaults(
  t: TestContext,
  harness: DependencyFleet,
  quiet: string,
): Promise<void> {
  const { load, postgres, postgresProxy, floes } = harness;
  assert.deepEqual(await unknownKey(harness), [401, 401]);

  const outage: Outage = (t, name, begin, end) => runOutage(t, harness, quiet, { name, begin, end });

  await t.test('killed and started again', (t) => outage(t, 'killed', postgres.crash, postgres.start));
  await t.test('frozen', (t) =>
    outage(
      t,
      'frozen',
      () => postgresProxy.freeze(),
      () => postgresProxy.restore(),
    ),
  );
  await t.test('out of connections', (t) => outOfConnections(t, harness, outage));
  await t.test('slow', async (t) => {
    postgresProxy.delay(50);
    const during = await load.through();
    for (const floe of floes) assert.deepEqual(await readHealth(floe), [200, 200, 200]);
    postgresProxy.restore();
    assertAllServed(during, 'slow');
    t.diagnostic(`100 ms slower: ${formatLatencies(during)}; before ${quiet}`);
  });
}

type Outage = (t: TestContext, name: string, begin: () => unknown, end: () => unknown) => Promise<void>;

/** Others take every connection that the server has for ordinary roles. */
async function outOfConnections(t: TestContext, harness: DependencyFleet, outage: Outage): Promise<void> {
  const { sql, databaseUrl } = harness;
  const hogs: pg.Client[] = [];
  t.after(() => Promise.all(hogs.map((hog) => hog.end())));
  const ours = `usename = 'app' and application_name like 'floe%'`;
  const take = async () => {
    for (;;) {
      const hog = new pg.Client({ connectionString: databaseUrl, application_name: 'another program' });
      hog.on('error', () => undefined);
      try {
        await hog.connect();
      } catch {
        return;
      }
      hogs.push(hog);
    }
  };
  const begin = () =>
    pollSlowly(async () => {
      await sql(`select pg_terminate_backend(pid) from pg_stat_activity where ${ours}`);
      await take();
      const [row] = await sql(`select count(*)::int as count from pg_stat_activity where ${ours}`);
      return row?.['count'] === 0 ? true : undefined;
    });
  await outage(t, 'out of connections', begin, () => Promise.all(hogs.splice(0).map((hog) => hog.end())));
}

/** Takes the database away, waits for answers meanwhile, gives it back. */
async function runOutage(
  t: TestContext,
  harness: DependencyFleet,
  quiet: string,
  { name, begin, end }: { name: string; begin: () => unknown; end: () => unknown },
): Promise<void> {
  const { load, floes } = harness;
  await begin();
  const during = await load.through();
  await waitForHealth(harness, 503);
  // Somebody may have made the key a moment ago, where this process cannot see it.
  await waitForUnknownKeyStatus(harness, 503);
  const [refused] = await Promise.all(
    floes.map(({ url }) => sendQuestion(url, 'who am I', { key: UNKNOWN_KEY })),
  );
  assert.match(refused?.text ?? '', /auth_unavailable/);
  const waiting = await Promise.all(floes.map((floe) => readMetric(floe, 'floe_spool_pending_rows')));
  await end();
  await waitForHealth(harness, 200);
  await waitForUnknownKeyStatus(harness, 401);
  const after = await load.through();
  assertAllServed([...during, ...after], name);
  for (const rows of waiting) assert.ok(rows > 0, 'rows waited: the database was away');
  t.diagnostic(
    `${name}: ${during.length} answers, ${waiting.join(' and ')} rows waited; ${formatLatencies(during)}; before ${quiet}`,
  );
}
