import { randomBytes } from 'node:crypto';
import { after } from 'node:test';
import { type Postgres, testPostgres } from '@floe/testkit/postgres';
import pg from 'pg';

let server: Promise<Postgres> | null = null;
after(async () => {
  await (await server)?.stop();
});

/** The test run's PostgreSQL, or one of this file's own. */
export function postgresServer(): Promise<Postgres> {
  server ??= testPostgres();
  return server;
}

/** Runs one statement as the administrator, in the database of `url` if given. */
export async function administer(sql: string, url?: string): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url ?? (await postgresServer()).url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

/** URL of an empty database that nobody else uses. It goes when `t` ends. */
export async function emptyDatabase(t: { after(done: () => Promise<void>): void }): Promise<string> {
  const name = `floe_test_${randomBytes(6).toString('hex')}`;
  await administer(`create database ${name}`);
  t.after(async () => {
    await administer(`drop database ${name} with (force)`);
  });
  const url = new URL((await postgresServer()).url);
  url.pathname = `/${name}`;
  return url.href;
}
