// Tier: ci. Waits for the time limits of a database.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { type TestContext, test } from 'node:test';
import { Fault } from '@floe/contract/faults';
import { FakeClock } from '@floe/testkit/fake-clock';
import { sql } from 'kysely';
import { systemClock } from '../../core/clock.ts';
import { silentLog } from '../../core/log.ts';
import { createTestDatabase } from '../test/postgres-database.ts';
import { startTcpProxy } from '../test/tcp-proxy.ts';
import { openPostgres } from './open-postgres.ts';
import { PostgresLiveness } from './postgres-liveness.ts';

async function openThroughProxy(t: TestContext) {
  const proxy = await startTcpProxy(await createTestDatabase(t));
  t.after(() => proxy.close());
  const database = await openPostgres(proxy.url, { log: silentLog, clock: systemClock });
  t.after(() => database.close());
  const read = () => sql`select 1`.execute(database.read);
  const write = () => database.transaction((writer) => sql`select 1`.execute(writer));
  return { proxy, database, read, write };
}

/** The duration in milliseconds until a call fails because the database is unavailable. */
async function measureFailure(call: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await assert.rejects(call(), (error) => error instanceof Fault && error.code === 'overloaded');
  return performance.now() - startedAt;
}

test('calls to a frozen server fail after 5 seconds, and later calls after 2 seconds, until it responds', async (t) => {
  const { proxy, read, write } = await openThroughProxy(t);
  await Promise.all([read(), read(), write()]);
  proxy.freeze();
  const calls = [read, read, write, write, ...Array.from({ length: 10 }, () => read)];
  const first = await Promise.all(calls.map(measureFailure));
  assert.ok(Math.max(...first) < 7_000, `${first.map(Math.round)}`);
  const later = await Promise.all([read, write].map(measureFailure));
  assert.ok(Math.max(...later) < 4_000, `${later.map(Math.round)}`);
  proxy.restore();
  await Promise.all([read(), write()]);
});

test('a call continues while other statements end, even if new connections wait', async (t) => {
  // As PgBouncer does when all its server connections are in use.
  const server = createServer().listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const clock = new FakeClock();
  const liveness = new PostgresLiveness(`postgres://floe@127.0.0.1:${port}/floe`, clock);
  const call = Promise.withResolvers<string>();
  const watched = liveness.watch(call.promise);
  const isChecked = once(server, 'connection');
  clock.advance(2_500);
  const [check] = await isChecked;
  liveness.recordResponse();
  await once(check.resume(), 'close');
  call.resolve('done');
  assert.equal(await watched, 'done');
  await liveness.requireResponsive();
});

test('a statement that takes long continues while the server responds', async (t) => {
  const { database } = await openThroughProxy(t);
  await sql`select pg_sleep(6)`.execute(database.read);
});
