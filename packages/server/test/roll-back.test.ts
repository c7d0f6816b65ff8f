// Tier: ci. Starts many processes.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { SERVER_PROGRAM, startFloeProcess } from '@floe/testkit/floe-process';
import { callHttp } from '@floe/testkit/http-client';
import { createTestDatabase, runAsAdministrator } from '../src/store/test/postgres-database.ts';
import { type ProgramExit, runProgramToEnd } from './run-program.ts';

const NEXT_RELEASE = join(import.meta.dirname, 'next-release', 'server.mjs');
const CONTRACT = { FLOE_TEST_NEXT_MIGRATION: 'contract' };
const REFUSED =
  /^floe: The database was migrated by a newer version of Floe: migration \d+ "no-more-views" requires a version that has migration \d+, and this version has migrations up to \d+\. Nothing was changed\. Run the newer version, or restore a backup/m;

function createHome(t: TestContext): string {
  const home = mkdtempSync(join(tmpdir(), 'floe-rollback-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

/** Starts a release, checks that its API answers, and stops it. Returns the key of a first start. */
async function runRelease(
  program: string,
  dataDir: string,
  key: string | null,
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const floe = await startFloeProcess({ program, dataDir, env });
  try {
    const used = key ?? (await floe.waitForKey());
    const me = await callHttp(`${floe.url}/api/me`, { headers: { authorization: `Bearer ${used}` } });
    assert.equal(me.status, 200, me.text);
    return used;
  } finally {
    assert.deepEqual(await floe.stop(), { code: 0, signal: null });
  }
}

/** Content of every table. */
async function contentsOf(url: string): Promise<readonly string[]> {
  const tables = await runAsAdministrator(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1`,
    url,
  );
  const contents: string[] = [];
  for (const { name } of tables) {
    const query = `select count(*)::text || ' ' || coalesce(md5(string_agg(t::text, '' order by t::text)), '') as sum from ${String(name)} as t`;
    const [row] = await runAsAdministrator(query, url);
    contents.push(`${String(name)} ${String(row?.['sum'])}`);
  }
  return contents;
}

function hashOf(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

function assertRefused(exit: ProgramExit, pattern: RegExp): void {
  assert.equal(exit.code, 1, exit.stdout);
  assert.match(exit.stderr, pattern);
}

/** Calls of each kind that a release serves before the next one takes its place. */
const CALLS = 20;
const KEY = `eis_all${'0'.repeat(40)}`;
const SQLITE_CONFIG = JSON.stringify({
  orgs: [
    {
      id: 'acme',
      keys: [{ name: 'all', key: KEY, scopes: ['gateway', 'beat'] }],
      providers: [{ id: 'sandbox', kind: 'sandbox' }],
      monitors: [{ id: 'job', expected_interval_minutes: 60 }],
    },
  ],
});

/** Starts a release, which serves requests and beats, and stops it. */
async function serveCalls(program: string, dataDir: string): Promise<void> {
  const floe = await startFloeProcess({ program, dataDir, yaml: SQLITE_CONFIG });
  try {
    for (let call = 0; call < CALLS; call += 1) {
      const chat = await callHttp(`${floe.url}/gateway/v1/chat/completions`, {
        headers: { authorization: `Bearer ${KEY}` },
        body: { model: 'sandbox/echo', messages: [{ role: 'user', content: 'Hi' }] },
      });
      assert.equal(chat.status, 200, chat.text);
      const beat = await callHttp(`${floe.url}/api/monitoring/heartbeat`, {
        method: 'POST',
        headers: { 'x-api-key': KEY },
        body: { monitor_id: 'job' },
      });
      assert.equal(beat.status, 200, beat.text);
    }
  } finally {
    assert.deepEqual(await floe.stop(), { code: 0, signal: null });
  }
}

function countIn(dataDir: string, query: string): unknown {
  const database = new DatabaseSync(join(dataDir, 'floe.db'), { readOnly: true });
  try {
    return database.prepare(query).get()?.['count'];
  } finally {
    database.close();
  }
}

test('sqlite: a release runs on the file of the next one after an expand migration, and both continue', async (t) => {
  const dataDir = join(createHome(t), 'data');
  const programs = [SERVER_PROGRAM, NEXT_RELEASE, SERVER_PROGRAM, NEXT_RELEASE];
  for (const program of programs) await serveCalls(program, dataDir);
  const served = programs.length * CALLS;
  const rows = `select count(*) as count from exchanges where state = 'complete'`;
  assert.equal(countIn(dataDir, rows), served);
  assert.equal(countIn(dataDir, `select count(*) as count from checks where status = 'ok'`), served);
});

test('sqlite: a release rejects a file with a contract migration of the next one, and changes nothing', async (t) => {
  const home = createHome(t);
  const dataDir = join(home, 'data');
  const key = await runRelease(SERVER_PROGRAM, dataDir, null);
  await runRelease(NEXT_RELEASE, dataDir, key, CONTRACT);
  const file = join(dataDir, 'floe.db');
  const before = hashOf(file);
  const env = { FLOE_DATA_DIR: dataDir, FLOE_PORT: '0' };
  assertRefused(await runProgramToEnd(SERVER_PROGRAM, [], env, home), REFUSED);
  assertRefused(await runProgramToEnd(SERVER_PROGRAM, ['migrate'], env, home), REFUSED);
  assertRefused(await runProgramToEnd(SERVER_PROGRAM, ['migrate', '--dry-run'], env, home), REFUSED);
  assert.equal(hashOf(file), before);
});

test('postgres: a contract migration is rejected while the previous release runs, and then rejects it', async (t) => {
  const home = createHome(t);
  const url = await createTestDatabase(t);
  const store = { FLOE_DATABASE_URL: url, FLOE_SECRET_KEY: 'upgrade'.repeat(10) };
  const env = { ...store, FLOE_DATA_DIR: join(home, 'next'), FLOE_PORT: '0' };
  const next = (...args: string[]) => runProgramToEnd(NEXT_RELEASE, args, { ...env, ...CONTRACT }, home);
  const floe = await startFloeProcess({ dataDir: join(home, 'current'), env: store });
  t.after(() => floe.kill());
  const key = await floe.waitForKey();

  const dry = await next('migrate', '--dry-run');
  assert.match(
    dry.stdout,
    /^Would apply:\n {2}\d+ no-more-views \(contract: stop all processes of the previous version first\)\nRunning processes that do not work with these migrations: 1\. Stop them before you migrate\.\n$/,
  );
  const history = await runAsAdministrator('select * from migrations order by number', url);
  const stillRunning = /does not work with 1 running process of an older version, so it was not applied/;
  assertRefused(await next('migrate'), stillRunning);
  assertRefused(await next(), stillRunning);
  assert.deepEqual(await runAsAdministrator('select * from migrations order by number', url), history);
  const me = await callHttp(`${floe.url}/api/me`, { headers: { authorization: `Bearer ${key}` } });
  assert.equal(me.status, 200);

  await floe.stop();
  assert.equal((await next('migrate')).code, 0);
  await runRelease(NEXT_RELEASE, join(home, 'next'), key, { ...store, ...CONTRACT });
  const before = await contentsOf(url);
  assertRefused(await runProgramToEnd(SERVER_PROGRAM, [], env, home), REFUSED);
  assert.deepEqual(await contentsOf(url), before);
});
