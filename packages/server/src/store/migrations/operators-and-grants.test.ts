import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { sql } from 'kysely';
import { silentLog } from '../../core/log.ts';
import { grantsOf } from '../grants.ts';
import { insertMember, insertUser } from '../members.ts';
import { allOperators } from '../operators.ts';
import { insertOrg } from '../orgs.ts';
import type { Database } from '../ports.ts';
import { openPostgres } from '../postgres/open-postgres.ts';
import { openSqlite } from '../sqlite/open-sqlite.ts';
import { ManualClock } from '../test/manual-clock.ts';
import { testDatabase } from '../test/postgres-database.ts';
import { temporaryDirectory } from '../test/temporary-directory.ts';
import { MIGRATIONS } from './all.ts';
import type { Migration } from './migration.ts';

const BEFORE = MIGRATIONS.filter(({ number }) => number < 25);

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

/** Name of the person, what they are in the org, and since when. */
const MEMBERS = [
  ['late', 'owner', 30, null],
  ['oldest', 'owner', 20, null],
  ['first', 'admin', 10, null],
  ['grouped', 'viewer', 5, 'corp'],
] as const;

for (const [engine, place] of ENGINES)
  test(`${engine}: the oldest owner becomes the first operator, and grants of groups stay with their issuer`, async (t) => {
    const open = await place(t);
    const old = await open(BEFORE);
    await old.transaction(async (writer) => {
      await insertOrg(writer, { id: 'acme', name: 'Acme', created_at: 1 });
      for (const [name, role, at, issuer] of MEMBERS) {
        const times = { created_at: at, updated_at: at };
        const person = { email: `${name}@acme.example`, name, password_hash: null, preferences_json: null };
        await insertUser(writer, { ...person, ...times, id: `usr_${name}` });
        const source = issuer === null ? 'console' : 'oidc';
        const where = { org_id: 'acme', user_id: `usr_${name}`, role, team: null, source };
        await insertMember(writer, { ...where, ...times, id: `mem_${name}`, updated_by: 'test' });
        await sql`update members set issuer = ${issuer} where id = ${`mem_${name}`}`.execute(writer);
      }
    });
    await old.close();
    const upgraded = await open();
    t.after(() => upgraded.close());
    assert.deepEqual(
      (await allOperators(upgraded.read)).map(({ email, granted_by }) => [email, granted_by]),
      [['oldest@acme.example', 'upgrade']],
    );
    const granted = { org_id: 'acme', user_id: 'usr_grouped', issuer: 'corp', role: 'viewer', team: null };
    assert.deepEqual(await grantsOf(upgraded.read, 'usr_grouped'), [granted]);
    assert.deepEqual(await grantsOf(upgraded.read, 'usr_first'), []);
  });
