import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { silentLog } from '../../core/log.ts';
import { insertOrg } from '../orgs.ts';
import type { Database } from '../ports.ts';
import { openPostgres } from '../postgres/open-postgres.ts';
import { quartersSince } from '../rollups/quarters.ts';
import { openSqlite } from '../sqlite/open-sqlite.ts';
import { ingestRows } from '../test/ingest-rows.ts';
import { ManualClock } from '../test/manual-clock.ts';
import { testDatabase } from '../test/postgres-database.ts';
import { exchangeRow, ORG } from '../test/rows.ts';
import { temporaryDirectory } from '../test/temporary-directory.ts';
import { quarters } from './0022-quarters.ts';
import { MIGRATIONS } from './all.ts';
import type { Migration } from './migration.ts';

const HOUR_MS = 3_600_000;
/** Rows are written as they are today, so every table is as it is today but for the quarters. */
const BEFORE = MIGRATIONS.filter((migration) => migration !== quarters);
const AFTER: readonly Migration[] = [...BEFORE, { ...quarters, number: 9_999 }];

type Open = (migrations?: readonly Migration[]) => Promise<Database>;

const quiet = { log: silentLog, clock: new ManualClock() };
const ENGINES: readonly [string, (t: TestContext) => Promise<Open>][] = [
  [
    'sqlite',
    async (t) => {
      const path = join(temporaryDirectory(t), 'floe.db');
      return (migrations) => openSqlite(path, migrations ? { ...quiet, migrations } : quiet);
    },
  ],
  [
    'postgres',
    async (t) => {
      const url = await testDatabase(t);
      return (migrations) => openPostgres(url, migrations ? { ...quiet, migrations } : quiet);
    },
  ],
];

for (const [engine, place] of ENGINES) {
  test(`${engine}: what removed its minutes until now has quarters since three days ago`, async (t) => {
    const open = await place(t);
    const old = await open(BEFORE);
    await old.transaction((writer) => insertOrg(writer, { id: ORG, name: 'One', created_at: 1 }));
    await ingestRows(t, old, [exchangeRow('exc_1')]);
    await old.close();
    const upgraded = await open(AFTER);
    t.after(() => upgraded.close());
    const hours = (Date.now() - (await quartersSince(upgraded.read))) / HOUR_MS;
    assert.ok(hours > 70.9 && hours < 71.5, `${hours} hours`);
  });

  test(`${engine}: what has counted nothing yet has all quarters it will ever have`, async (t) => {
    const open = await place(t);
    const fresh = await open();
    t.after(() => fresh.close());
    assert.equal(await quartersSince(fresh.read), 0);
  });
}
