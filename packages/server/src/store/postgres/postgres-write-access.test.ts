import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Fault } from '@floe/contract/faults';
import { sql } from 'kysely';
import { silentLog } from '../../core/log.ts';
import { ManualClock } from '../test/manual-clock.ts';
import { createTestDatabase, runAsAdministrator } from '../test/postgres-database.ts';
import { openPostgres } from './open-postgres.ts';

async function open(t: TestContext) {
  const url = await createTestDatabase(t);
  const clock = new ManualClock();
  const database = await openPostgres(url, { log: silentLog, clock });
  t.after(() => database.close());
  return { name: new URL(url).pathname.slice(1), clock, database };
}

const isUnavailable = (reason: RegExp) => (error: unknown) =>
  error instanceof Fault && error.code === 'overloaded' && reason.test(error.message);

test('a read-only database is not available, until it accepts writes again', async (t) => {
  const { name, database } = await open(t);
  await database.ping();
  await runAsAdministrator(`alter database ${name} set default_transaction_read_only = on`);
  // The setting applies to new connections. A failover closes the old ones, too.
  const close = `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`;
  await runAsAdministrator(close);
  for (let probes = 0; probes < 3; probes++)
    await assert.rejects(database.ping(), isUnavailable(/read-only|lost/));
  await assert.rejects(database.ping(), isUnavailable(/read-only/));
  await runAsAdministrator(`alter database ${name} reset default_transaction_read_only`);
  await database.ping();
});

test('after a write that failed because of a full disk, the database is not available for 10 seconds', async (t) => {
  const { clock, database } = await open(t);
  const fail = (code: string) =>
    database.transaction((writer) =>
      sql`do ${sql.lit(`begin raise exception 'failed' using errcode = '${code}'; end`)}`.execute(writer),
    );
  await assert.rejects(fail('55P03'));
  await database.ping();
  await assert.rejects(fail('53100'));
  clock.advance(9_000);
  await assert.rejects(database.ping(), isUnavailable(/The disk of the database server is full/));
  clock.advance(1_000);
  await database.ping();
});
