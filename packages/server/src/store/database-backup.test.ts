import assert from 'node:assert/strict';
import { copyFileSync, existsSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { systemClock } from '../core/clock.ts';
import { FatalError } from '../core/fatal-error.ts';
import { silentLog } from '../core/log.ts';
import { lockDataDir } from './data-dir-lock.ts';
import { backupDatabase, restoreDatabase } from './database-backup.ts';
import { MIGRATIONS } from './migrations/migration-list.ts';
import { openDatabase } from './open-database.ts';
import { getSetting, storeSetting } from './settings.ts';
import { inspectSqliteFile } from './sqlite/copy-sqlite.ts';
import { writeDatabaseCopy } from './sqlite/database-copy.ts';
import { openSqlite } from './sqlite/open-sqlite.ts';
import { createTemporaryDirectory } from './test/temporary-directory.ts';
import { planDatabaseUpgrade, upgradeDatabase } from './upgrade-database.ts';

const quiet = { log: silentLog, clock: systemClock };
const NOW = Date.UTC(2026, 10, 21, 12);

const refusal = (message: RegExp) => (error: unknown) =>
  error instanceof FatalError && message.test(error.message);

function placeIn(t: TestContext) {
  const dataDir = createTemporaryDirectory(t);
  return { url: 'sqlite:', dataDir };
}

async function put(dataDir: string, value: string): Promise<void> {
  const database = await openDatabase('sqlite:', { ...quiet, dataDir });
  await database.transaction((writer) => storeSetting(writer, 'a', value));
  await database.close();
}

async function read(dataDir: string): Promise<string | undefined> {
  const database = await openDatabase('sqlite:', { ...quiet, dataDir });
  const value = await getSetting(database.read, 'a');
  await database.close();
  return value;
}

test('a backup of a database in use contains what was committed, and can be restored', async (t) => {
  const place = placeIn(t);
  const file = join(place.dataDir, 'backup.db');
  const database = await openDatabase(place.url, { ...quiet, dataDir: place.dataDir });
  await database.transaction((writer) => storeSetting(writer, 'a', 'committed'));
  await database.transaction(async (writer) => {
    await storeSetting(writer, 'a', 'not yet');
    await backupDatabase(place, file, quiet);
  });
  await database.close();
  assert.equal(statSync(file).mode & 0o777, 0o600);
  const target = placeIn(t);
  const { safetyCopy } = await restoreDatabase(target, file, { ...quiet, force: false, nowMs: NOW });
  assert.equal(safetyCopy, null);
  assert.equal(await read(target.dataDir), 'committed');
  assert.equal(await read(place.dataDir), 'not yet');
});

test('other users cannot read a copy, also while it is written', async (t) => {
  const to = join(createTemporaryDirectory(t), 'backup.db');
  let mode = 0;
  const write = (unfinished: string) => {
    mode = statSync(unfinished, { throwIfNoEntry: false })?.mode ?? 0;
  };
  await writeDatabaseCopy({ from: 'floe.db', to, bytes: 0, write }, quiet);
  assert.equal(mode & 0o777, 0o600);
});

test('a restore over an existing database is rejected, and with --force keeps the previous one', async (t) => {
  const place = placeIn(t);
  const file = join(place.dataDir, 'backup.db');
  await put(place.dataDir, 'old');
  await backupDatabase(place, file, quiet);
  await put(place.dataDir, 'new');
  await assert.rejects(
    restoreDatabase(place, file, { ...quiet, force: false, nowMs: NOW }),
    refusal(/already exists\. Use --force/),
  );
  assert.equal(await read(place.dataDir), 'new');
  const { safetyCopy } = await restoreDatabase(place, file, { ...quiet, force: true, nowMs: NOW });
  assert.equal(safetyCopy, join(place.dataDir, 'floe.db.before-restore-20261121T120000Z'));
  assert.equal(await read(place.dataDir), 'old');
  await restoreDatabase(place, safetyCopy, { ...quiet, force: true, nowMs: NOW + 1000 });
  assert.equal(await read(place.dataDir), 'new');
});

/** Removes the database, and leaves the write-ahead log that a killed server would leave. */
async function leaveOnlyLog(dataDir: string): Promise<void> {
  const path = join(dataDir, 'floe.db');
  const database = await openDatabase('sqlite:', { ...quiet, dataDir });
  await database.transaction(async (writer) => {
    for (let n = 0; n < 500; n++) await storeSetting(writer, `from the log ${n}`, 'x'.repeat(500));
  });
  copyFileSync(`${path}-wal`, `${path}.log`);
  await database.close();
  rmSync(path);
  renameSync(`${path}.log`, `${path}-wal`);
}

test('a restore ignores the write-ahead log of a database that is missing', async (t) => {
  const place = placeIn(t);
  const file = join(place.dataDir, 'backup.db');
  await put(place.dataDir, 'old');
  await backupDatabase(place, file, quiet);
  await leaveOnlyLog(place.dataDir);
  await restoreDatabase(place, file, { ...quiet, force: false, nowMs: NOW });
  inspectSqliteFile(join(place.dataDir, 'floe.db'));
  assert.equal(await read(place.dataDir), 'old');
  assert.ok(existsSync(join(place.dataDir, 'floe.db.before-restore-20261121T120000Z-wal')));
});

test('a backup that replaces an earlier one ignores the write-ahead log of that one', async (t) => {
  const place = placeIn(t);
  const earlier = placeIn(t);
  const file = join(earlier.dataDir, 'floe.db');
  await put(earlier.dataDir, 'earlier');
  await leaveOnlyLog(earlier.dataDir);
  await put(place.dataDir, 'new');
  await backupDatabase(place, file, { ...quiet, force: true });
  inspectSqliteFile(file);
  assert.equal(await read(earlier.dataDir), 'new');
});

test('after an interrupted restore, no empty database is created, and the restore can be repeated', async (t) => {
  const place = placeIn(t);
  const path = join(place.dataDir, 'floe.db');
  const file = join(place.dataDir, 'backup.db');
  await put(place.dataDir, 'old');
  await backupDatabase(place, file, quiet);
  await backupDatabase(place, `${path}.restored`, quiet);
  renameSync(path, `${path}.before-restore-20261121T120000Z`);
  await assert.rejects(put(place.dataDir, 'new'), refusal(/"floe restore" was interrupted/));
  assert.equal(existsSync(path), false);
  await restoreDatabase(place, file, { ...quiet, force: false, nowMs: NOW });
  assert.equal(await read(place.dataDir), 'old');
});

test('a restore that was interrupted before it moved the logs keeps their commits in its safety copy', async (t) => {
  const place = placeIn(t);
  const path = join(place.dataDir, 'floe.db');
  const file = join(place.dataDir, 'backup.db');
  await put(place.dataDir, 'old');
  await backupDatabase(place, file, quiet);
  await backupDatabase(place, `${path}.restored`, quiet);
  const safetyCopy = `${path}.before-restore-20261121T120000Z`;
  const database = await openDatabase('sqlite:', { ...quiet, dataDir: place.dataDir });
  await database.transaction((writer) => storeSetting(writer, 'last commit', 'kept'));
  copyFileSync(path, safetyCopy);
  copyFileSync(`${path}-wal`, `${path}.log`);
  await database.close();
  rmSync(path);
  renameSync(`${path}.log`, `${path}-wal`);
  await restoreDatabase(place, file, { ...quiet, force: false, nowMs: NOW + 60_000 });
  await restoreDatabase(place, safetyCopy, { ...quiet, force: true, nowMs: NOW + 120_000 });
  const restored = await openDatabase('sqlite:', { ...quiet, dataDir: place.dataDir });
  t.after(() => restored.close());
  assert.equal(await getSetting(restored.read, 'last commit'), 'kept');
});

test('a restore is rejected while a server runs, and for files that are not a backup of this or an older version', async (t) => {
  const place = placeIn(t);
  const file = join(place.dataDir, 'backup.db');
  await put(place.dataDir, 'old');
  await backupDatabase(place, file, quiet);
  const lock = lockDataDir(place.dataDir);
  await assert.rejects(
    restoreDatabase(place, file, { ...quiet, force: true, nowMs: NOW }),
    refusal(/Another Floe process/),
  );
  lock.release();
  const text = join(place.dataDir, 'text');
  writeFileSync(text, 'no database'.repeat(1000));
  const newer = join(place.dataDir, 'newer.db');
  const number = (MIGRATIONS.at(-1)?.number ?? 0) + 1;
  const more = { number, name: 'more', compatibleFrom: number, up: async () => undefined };
  await (await openSqlite(newer, { ...quiet, migrations: [...MIGRATIONS, more] })).close();
  const cases: [string, RegExp][] = [
    [text, /is corrupted, or is not a SQLite database/],
    [join(place.dataDir, 'none'), /is corrupted, or is not a SQLite database/],
    [newer, /newer version of Floe/],
  ];
  for (const [path, message] of cases)
    await assert.rejects(
      restoreDatabase(place, path, { ...quiet, force: true, nowMs: NOW }),
      refusal(message),
      path,
    );
  assert.equal(await read(place.dataDir), 'old');
  assert.deepEqual(
    readdirSync(place.dataDir).filter((name) => /part|restored|before/.test(name)),
    [],
  );
});

test('a backup overwrites nothing, and with --force replaces an earlier backup but never the database', async (t) => {
  const place = placeIn(t);
  const file = join(place.dataDir, 'backup.db');
  await assert.rejects(backupDatabase(place, file, quiet), refusal(/No database exists/));
  await put(place.dataDir, 'old');
  writeFileSync(file, 'precious');
  await assert.rejects(backupDatabase(place, file, quiet), refusal(/already exists\. Use --force/));
  await backupDatabase(place, file, { ...quiet, force: true });
  await put(place.dataDir, 'new');
  await restoreDatabase(place, file, { ...quiet, force: true, nowMs: NOW });
  assert.equal(await read(place.dataDir), 'old');
  await assert.rejects(
    backupDatabase(place, join(place.dataDir, 'floe.db'), { ...quiet, force: true }),
    refusal(/is the database itself/),
  );
  await assert.rejects(backupDatabase(place, '/dev/null/x', quiet), refusal(/Cannot copy/));
  await assert.rejects(
    backupDatabase({ ...place, url: 'postgres://h/d' }, file, quiet),
    refusal(/pg_dump --format=custom/),
  );
});

test('a copy without enough disk space is rejected before anything is written, with the required size', async (t) => {
  const place = placeIn(t);
  await put(place.dataDir, 'old');
  const file = join(place.dataDir, 'backup.db');
  const asked: string[] = [];
  const full = {
    ...quiet,
    freeBytes: async (directory: string) => {
      asked.push(directory);
      return 12_345;
    },
  };
  const told = new RegExp(
    `Cannot copy .*floe\\.db to .*backup\\.db: the copy needs \\d+ KB, but ${place.dataDir} has only 12 KB free\\. Free up disk space`,
  );
  await assert.rejects(backupDatabase(place, file, full), refusal(told));
  assert.deepEqual(asked, [place.dataDir]);
  assert.deepEqual(
    readdirSync(place.dataDir).filter((name) => name.startsWith('backup')),
    [],
  );
});

test('pending migrations are listed without changes, and applied once under the lock', async (t) => {
  const place = placeIn(t);
  const names = MIGRATIONS.map(({ name }) => name);
  assert.deepEqual(
    (await planDatabaseUpgrade(place)).migrations.map(({ name }) => name),
    names,
  );
  assert.equal(existsSync(join(place.dataDir, 'floe.db')), false);
  const lock = lockDataDir(place.dataDir);
  await assert.rejects(upgradeDatabase(place, quiet), refusal(/Another Floe process/));
  lock.release();
  assert.equal((await upgradeDatabase(place, quiet)).migrations.length, names.length);
  const nothing = { migrations: [], olderProcesses: 0, copy: null };
  assert.deepEqual(await planDatabaseUpgrade(place), nothing);
  assert.deepEqual(await upgradeDatabase(place, quiet), nothing);
});
