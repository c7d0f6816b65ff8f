import type { TestContext } from 'node:test';
import { systemClock } from '../../core/clock.ts';
import { silentLog } from '../../core/log.ts';
import { repositorySuite } from '../repositories.suite.ts';
import { emptyDatabase } from '../test/postgres-database.ts';
import { openPostgres } from './open-postgres.ts';

const quiet = { log: silentLog, clock: systemClock };

async function openEmpty(t: TestContext) {
  // Hooks run in the order they were added: the database must be closed before it is dropped.
  const cleanups: (() => Promise<void>)[] = [];
  const url = await emptyDatabase({ after: (done) => void cleanups.push(done) });
  const database = await openPostgres(url, quiet);
  t.after(async () => {
    await database.close();
    for (const done of cleanups) await done();
  });
  return database;
}

repositorySuite('postgres', openEmpty);
