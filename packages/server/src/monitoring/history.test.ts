import { join } from 'node:path';
import { systemClock } from '../core/clock.ts';
import { silentLog } from '../core/log.ts';
import { openSqlite } from '../store/sqlite/open-sqlite.ts';
import { openTestDatabase } from '../store/test/postgres-database.ts';
import { createTemporaryDirectory } from '../store/test/temporary-directory.ts';
import { historySuite } from './history.suite.ts';

const full = process.env['FLOE_TEST_FULL'] !== undefined;

historySuite(
  'sqlite',
  async (t) => {
    const path = join(createTemporaryDirectory(t), 'floe.db');
    const database = await openSqlite(path, { log: silentLog, clock: systemClock });
    t.after(() => database.close());
    return database;
  },
  full ? 1_500 : 40,
);
historySuite('postgres', openTestDatabase, full ? 1_500 : 40);
