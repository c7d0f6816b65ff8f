import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import fc from 'fast-check';
import { systemClock } from '../../core/clock.ts';
import { FatalError } from '../../core/fatal-error.ts';
import { silentLog } from '../../core/log.ts';
import { openDatabase } from '../open-database.ts';
import { openPostgres } from '../postgres/open-postgres.ts';
import { createTestDatabaseWithoutTables, runAsAdministrator } from '../test/postgres-database.ts';
import { createTemporaryDirectory } from '../test/temporary-directory.ts';
import { planDatabaseUpgrade, upgradeDatabase } from '../upgrade-database.ts';
import type { Migration } from './migration.ts';
import type { AppliedMigration } from './migration-history.ts';
import { MIGRATIONS } from './migration-list.ts';
import { planMigrations } from './plan-migrations.ts';

/** What later releases may add: numbers may be missing. */
const FIRST = (MIGRATIONS.at(-1)?.number ?? 0) + 1;
const UNUSED = FIRST + 1;
const SECOND = FIRST + 2;
const NEWEST = FIRST + 3;
const LATER = [FIRST, SECOND, NEWEST].map((number) => migration(number, `later-${number}`));
const quiet = { log: silentLog, clock: systemClock, migrations: [...MIGRATIONS, ...LATER] };
const record = ({ number, name, compatibleFrom }: Migration): AppliedMigration => ({
  number,
  name,
  compatibleFrom,
});

/** Lists of migrations with gaps between their numbers, as the program's own. */
const lists = fc
  .uniqueArray(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 15 })
  .map((numbers) =>
    numbers.sort((one, other) => one - other).map((number) => migration(number, `m${number}`)),
  );

function migration(number: number, name: string, compatibleFrom = number): Migration {
  return { number, name, compatibleFrom, up: async () => undefined };
}

test('a database with the first migrations lacks the rest, in any order of its rows', () => {
  fc.assert(
    fc.property(lists, fc.nat(20), fc.boolean(), (list, count, isReversed) => {
      const applied = list.slice(0, count).map(record);
      const planned = planMigrations(isReversed ? applied.toReversed() : applied, list);
      assert.deepEqual(planned, list.slice(count));
    }),
  );
});

test('a database with any other set of migrations is rejected with a message that states the difference', () => {
  const differences = fc.constantFrom('missing', 'renamed', 'unknown', 'newer');
  fc.assert(
    fc.property(lists, differences, fc.nat(), fc.nat(), (list, difference, count, which) => {
      const applied = list.slice(0, 1 + (count % list.length)).map(record);
      const at = which % applied.length;
      const { number, name } = applied[at] ?? assert.fail();
      const compatibleFrom = 1;
      let expected = `migration ${number} "`;
      if (difference === 'missing') {
        fc.pre(at < applied.length - 1);
        applied.splice(at, 1);
        expected = `lacks migration ${number} "${name}"`;
      } else if (difference === 'renamed') applied[at] = { number, name: 'other', compatibleFrom };
      else if (difference === 'newer') {
        const later = (list.at(-1)?.number ?? 0) + 1;
        applied.push({ number: later, name: 'later', compatibleFrom: later });
        expected = 'newer version of Floe';
      } else {
        const gap = list.findIndex(
          ({ number: one }, index) => (list[index + 1]?.number ?? one + 1) > one + 1,
        );
        fc.pre(gap !== -1);
        const inGap = (list[gap]?.number ?? 0) + 1;
        applied.push({ number: inGap, name: 'elsewhere', compatibleFrom });
        expected = `migration ${inGap} "elsewhere", which this build does not have`;
      }
      assert.throws(
        () => planMigrations(applied, list),
        (error) => error instanceof FatalError && error.message.includes(expected),
      );
    }),
  );
});

/** What other builds left in the table `migrations`. */
const HISTORIES: readonly (readonly [what: string, sql: string])[] = [
  [
    'a migration that this build does not have',
    `insert into migrations values (${UNUSED}, 'elsewhere', 0, 1)`,
  ],
  ['one that is missing before later ones', `delete from migrations where number = ${FIRST}`],
  ['one of another name', `update migrations set name = 'other' where number = ${SECOND}`],
  [
    'a build with other numbers',
    `delete from migrations where number = ${FIRST}; update migrations set number = ${FIRST} where number = ${SECOND}`,
  ],
  ['a newer one', `insert into migrations values (${NEWEST + 1}, 'later', 0, ${NEWEST + 1})`],
  ['a newer one without compatibility', `insert into migrations values (${NEWEST + 1}, 'later', 0, null)`],
];

test('a dry run rejects the same databases as a start, with the same message, and neither changes anything', async (t) => {
  for (const [what, sql] of HISTORIES) {
    const dataDir = createTemporaryDirectory(t);
    const place = { url: 'sqlite:', dataDir };
    await (await openDatabase(place.url, { ...quiet, dataDir })).close();
    const file = new DatabaseSync(join(dataDir, 'floe.db'));
    file.exec(sql);
    file.close();
    const before = contentsOf(dataDir);
    const dry = await refusalOf(planDatabaseUpgrade(place, quiet));
    assert.equal(await refusalOf(upgradeDatabase(place, quiet)), dry, what);
    assert.equal(await refusalOf(openDatabase(place.url, { ...quiet, dataDir })), dry, what);
    assert.match(dry, /Run (the newer version|the build that last used)/, what);
    assert.deepEqual(contentsOf(dataDir), before, what);
  }
});

test('migrations of newer releases are accepted exactly if all of them are compatible with this one', () => {
  const newer = fc.array(fc.nat(40), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(lists, newer, (list, from) => {
      const known = list.at(-1)?.number ?? 0;
      const later = from.map((compatibleFrom, index) => ({
        number: known + 1 + index,
        name: `later-${index}`,
        compatibleFrom: Math.min(compatibleFrom, known + 1 + index),
      }));
      const applied = [...later.toReversed(), ...list.map(record)];
      if (later.every(({ compatibleFrom }) => compatibleFrom <= known))
        assert.deepEqual(planMigrations(applied, list), []);
      else
        assert.throws(
          () => planMigrations(applied, list),
          (error) =>
            error instanceof FatalError &&
            error.message.includes(
              `requires a version that has migration ${Math.max(...later.map((one) => one.compatibleFrom))}`,
            ),
        );
    }),
  );
});

test('compatible migrations of a newer release do not hide a missing or different one', () => {
  const list = [1, 2, 3].map((number) => migration(number, `m${number}`));
  const later = record(migration(5, 'later', 1));
  const applied = list.map(record);
  assert.throws(() => planMigrations([...applied.toSpliced(1, 1), later], list), /lacks migration 2 "m2"/);
  const other = { number: 2, name: 'other', compatibleFrom: 1 };
  assert.throws(
    () => planMigrations([...applied.with(1, other), later], list),
    /which is "m2" in this build/,
  );
});

test('a database from before the first release is rejected with instructions', () => {
  const applied = [
    { number: 1, name: 'first-tables', compatibleFrom: null },
    { number: 27, name: 'clients-and-sessions', compatibleFrom: null },
  ];
  assert.throws(
    () => planMigrations(applied),
    (error) => error instanceof FatalError && /config export > .* config apply/.test(error.message),
  );
});

test('PostgreSQL is rejected in the same way', async (t) => {
  const url = await createTestDatabaseWithoutTables(t);
  await (await openPostgres(url, quiet)).close();
  const dataDir = createTemporaryDirectory(t);
  await runAsAdministrator(`delete from migrations where number = ${FIRST}`, url);
  const before = await runAsAdministrator('select * from migrations order by number', url);
  const dry = await refusalOf(planDatabaseUpgrade({ url, dataDir }, quiet));
  assert.match(
    dry,
    new RegExp(`lacks migration ${FIRST} "later-${FIRST}", although it has the later migration ${NEWEST}`),
  );
  assert.equal(await refusalOf(openPostgres(url, quiet)), dry);
  assert.deepEqual(await runAsAdministrator('select * from migrations order by number', url), before);
});

test('a dry run states the copy that a start writes first, and fails if there is no space for it', async (t) => {
  const dataDir = createTemporaryDirectory(t);
  const place = { url: 'sqlite:', dataDir };
  await (await openDatabase(place.url, { ...quiet, dataDir })).close();
  const file = new DatabaseSync(join(dataDir, 'floe.db'));
  file.exec(`delete from migrations where number = ${NEWEST}`);
  file.close();
  const { migrations, copy } = await planDatabaseUpgrade(place, quiet);
  assert.deepEqual(
    migrations.map(({ number }) => number),
    [NEWEST],
  );
  assert.equal(copy, join(dataDir, `floe.db.before-${NEWEST}`));
  const full = { ...quiet, freeBytes: async () => 2 };
  assert.match(
    await refusalOf(planDatabaseUpgrade(place, full)),
    /Cannot copy .* has only 2 bytes free\. Free up disk space/,
  );
});

async function refusalOf(opening: Promise<unknown>): Promise<string> {
  try {
    await opening;
  } catch (error) {
    if (error instanceof FatalError) return error.message;
    throw error;
  }
  return assert.fail('it was not refused');
}

/** Every file by a hash of its bytes; the lock and SQLite's shared memory are no content. */
function contentsOf(dataDir: string): readonly (readonly [string, string])[] {
  const names = readdirSync(dataDir).filter((name) => name.startsWith('floe.db') && !name.endsWith('-shm'));
  return names.sort().map((name) => {
    const bytes = readFileSync(join(dataDir, name));
    return [name, bytes.length === 0 ? '' : createHash('sha256').update(bytes).digest('hex')] as const;
  });
}
