import { join } from 'node:path';
import { systemClock } from '../../core/clock.ts';
import { silentLog } from '../../core/log.ts';
import { openSqlite } from '../../store/sqlite/open-sqlite.ts';
import { openTestDatabase } from '../../store/test/postgres-database.ts';
import { createTemporaryDirectory } from '../../store/test/temporary-directory.ts';
import { boardsSuite } from './boards.suite.ts';

boardsSuite('sqlite', async (t) => {
  const path = join(createTemporaryDirectory(t), 'floe.db');
  const database = await openSqlite(path, { log: silentLog, clock: systemClock });
  t.after(() => database.close());
  return database;
});
boardsSuite('postgres', openTestDatabase);
