import { randomBytes } from 'node:crypto';
import { after, type TestContext } from 'node:test';
import { getTestPostgres, type TestPostgres } from '@floe/testkit/postgres';
import pg from 'pg';
import { systemClock } from '../../core/clock.ts';
import { silentLog } from '../../core/log.ts';
import type { DatabaseWithBeatStore } from '../open-database.ts';
import { openPostgres } from '../postgres/open-postgres.ts';

let server: Promise<TestPostgres> | null = null;
after(async () => {
  await (await server)?.stop();
});

/** Runs one statement as the administrator, in the database of `url` if it is given. */
export async function runAsAdministrator(
  sql: string,
  url?: string,
): Promise<readonly Record<string, unknown>[]> {
  server ??= getTestPostgres();
  const client = new pg.Client({ connectionString: url ?? (await server).url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

/**
 * A database with all tables that the test run provides, so that test files copy it instead of running
 * migrations.
 */
const TEMPLATE = process.env['FLOE_TEST_POSTGRES_TEMPLATE'];

async function createDatabase(template = TEMPLATE): Promise<string> {
  server ??= getTestPostgres();
  const name = `floe_test_${randomBytes(6).toString('hex')}`;
  await runAsAdministrator(`create database ${name}${template ? ` template ${template}` : ''}`);
  const url = new URL((await server).url);
  url.pathname = `/${name}`;
  return url.href;
}

async function dropDatabase(url: string): Promise<void> {
  await runAsAdministrator(`drop database ${new URL(url).pathname.slice(1)} with (force)`);
}

/**
 * Creates a migrated database without rows that several tests share. `drop` ends its connections
 * and deletes it.
 */
export async function createSharedTestDatabase(): Promise<{ readonly url: string; drop(): Promise<void> }> {
  const url = await createDatabase();
  return { url, drop: () => dropDatabase(url) };
}

/**
 * Creates a migrated database without rows and returns its URL. When the test ends, its connections
 * are ended and it is deleted.
 */
export async function createTestDatabase(t: TestContext): Promise<string> {
  const url = await createDatabase();
  t.after(() => dropDatabase(url));
  return url;
}

/** Creates a database without tables and returns its URL. */
export async function createTestDatabaseWithoutTables(t: TestContext): Promise<string> {
  const url = await createDatabase('template1');
  t.after(() => dropDatabase(url));
  return url;
}

/** Opens a migrated database that is closed and deleted when the test ends. */
export async function openTestDatabase(t: TestContext): Promise<DatabaseWithBeatStore> {
  const url = await createDatabase();
  const database = await openPostgres(url, { log: silentLog, clock: systemClock });
  t.after(async () => {
    await database.close();
    await dropDatabase(url);
  });
  return database;
}
