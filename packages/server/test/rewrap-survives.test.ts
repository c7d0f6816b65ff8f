// Tier: ci. Kills processes that re-encrypt thousands of secrets.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type FloeProcess, SERVER_PROGRAM, startFloeProcess } from '@floe/testkit/floe-process';
import { callHttp } from '@floe/testkit/http-client';
import { MINIMAL_ENVIRONMENT } from '@floe/testkit/minimal-environment';
import { decryptChannel } from '../src/alerts/stored-channel.ts';
import { systemClock } from '../src/core/clock.ts';
import { silentLog } from '../src/core/log.ts';
import {
  decryptProviderCredential,
  toCredentialSecretLocation,
} from '../src/platform/config/provider-secrets.ts';
import { deriveStoredSecretsKey, encryptSecret, getEncryptedSecretPrefix } from '../src/platform/secrets.ts';
import { listAllChannels } from '../src/store/channels.ts';
import { openDatabase } from '../src/store/open-database.ts';
import type { Database } from '../src/store/store-interfaces.ts';
import { createTestDatabase } from '../src/store/test/postgres-database.ts';
import { runProgramToEnd } from './run-program.ts';

const SECRET_KEY = 'a'.repeat(64);
const [OLD, NEW] = ['o'.repeat(32), 'n'.repeat(32)];
const CREDENTIALS = 4_000;
const KILLS = process.env['FLOE_TEST_FULL'] === undefined ? 3 : 15;
const CHANNELS = Array.from({ length: 12 }, (_, n) => `ops-${n}`);
/** Not derived from the secret key, so that other keys do not decrypt. */
const onlyKey = (key: string) => {
  const { previousKeys: _, ...alone } = deriveStoredSecretsKey(Buffer.alloc(32), [key]);
  return alone;
};

type Environment = Readonly<Record<string, string>>;

async function callApi(floe: FloeProcess, key: string, path: string, body: object) {
  const method = path === '' ? 'POST' : 'PATCH';
  const headers = { authorization: `Bearer ${key}` };
  return await callHttp(`${floe.url}/api/monitoring/channels${path}`, { method, headers, body });
}

/** Stores many credentials that are encrypted with the old key. */
async function storeCredentials(database: Database): Promise<void> {
  for (let from = 0; from < CREDENTIALS; from += 500)
    await database.transaction(async (writer) => {
      const rows = Array.from({ length: 500 }, (_, at) => {
        const id = `crd_${String(from + at).padStart(6, '0')}`;
        const location = toCredentialSecretLocation({ org_id: 'default', id }, 1);
        const row = { id, org_id: 'default', provider_id: 'p', name: id, weight: 1, last4: '', version: 1 };
        const times = { tested_at: null, test_json: null, created_at: 1, updated_at: 1, updated_by: 'test' };
        return {
          ...row,
          ...times,
          origin: 'https://a.example',
          sealed: encryptSecret(`secret of ${id}`, location, onlyKey(OLD)),
        };
      });
      await writer.insertInto('provider_credentials').values(rows).execute();
    });
}

async function countRewrapped({ read }: Database): Promise<number> {
  const { count } = await read
    .selectFrom('provider_credentials')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('sealed', 'like', `${getEncryptedSecretPrefix(onlyKey(NEW))}%`)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Starts a rewrap, and kills it after it has re-encrypted some more secrets. */
async function killRewrap(database: Database, env: Environment, cwd: string): Promise<number> {
  const before = await countRewrapped(database);
  const child = spawn(process.execPath, [SERVER_PROGRAM, 'secrets', 'rewrap'], {
    cwd,
    env: { ...MINIMAL_ENVIRONMENT, ...env },
    stdio: 'ignore',
  });
  while (child.exitCode === null && (await countRewrapped(database)) === before);
  const isKilled = child.kill('SIGKILL');
  if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
  assert.ok(isKilled && child.signalCode === 'SIGKILL', `it ended with ${child.exitCode}`);
  return countRewrapped(database);
}

/** Changes the channels until the result is stopped, and returns the URL that was last acknowledged for each. */
function changeChannels(floe: FloeProcess, key: string) {
  const urls = new Map<string, string>();
  let isOver = false;
  const client = async (name: string) => {
    for (let n = 0; !isOver; n += 1) {
      const url = `http://127.0.0.1:9/${name}/${n}`;
      // Every second change keeps the stored secrets, and must not restore their earlier encrypted form.
      const change = n % 2 === 0 ? { url } : { tags: [`t${n}`] };
      const { status, text } = await callApi(floe, key, `/${name}`, change);
      assert.equal(status, 200, text);
      if (n % 2 === 0) urls.set(name, url);
    }
  };
  const changing = Promise.all(CHANNELS.map(client));
  return async () => {
    isOver = true;
    await changing;
    return urls;
  };
}

for (const store of ['sqlite', 'postgres'] as const)
  test(`${store}: a rewrap that is killed can be repeated, and no secret and no concurrent change is lost`, async (t) => {
    const { database, env, dataDir } = await openStore(t, store);
    const start = async (keys: string) => {
      const floe = await startFloeProcess({ dataDir, env: { ...env, FLOE_ENCRYPTION_KEYS: keys } });
      t.after(() => floe.kill());
      return floe;
    };
    const first = await start(OLD);
    const key = await first.waitForKey();
    const secret = 'signing-secret';
    for (const name of CHANNELS) {
      const channel = { kind: 'webhook', name, url: 'http://127.0.0.1:9/old', secret };
      assert.equal((await callApi(first, key, '', channel)).status, 201);
    }
    await first.stop();
    const reader = database();
    await storeCredentials(await reader);
    const both = { ...env, FLOE_ENCRYPTION_KEYS: `${NEW},${OLD}` };
    // With SQLite, the server is stopped during a rewrap.
    const second = store === 'postgres' ? await start(both.FLOE_ENCRYPTION_KEYS) : null;
    const stop = second && changeChannels(second, key);
    const counts = [0];
    for (let n = 0; n < KILLS; n += 1) counts.push(await killRewrap(await reader, both, dataDir));
    t.diagnostic(`re-encrypted after each kill: ${counts.slice(1).join(', ')} of ${CREDENTIALS}`);
    assert.ok((counts.at(-1) ?? 0) < CREDENTIALS, 'the last kill was too late');
    assert.deepEqual(
      counts,
      [...new Set(counts)].sort((one, other) => one - other),
    );
    const rewrap = () => runProgramToEnd(SERVER_PROGRAM, ['secrets', 'rewrap'], both, dataDir);
    const done = await rewrap();
    assert.deepEqual([done.code, done.stderr], [0, '']);
    const urls = (await stop?.()) ?? new Map<string, string>();
    await second?.stop();
    assert.match((await rewrap()).stdout, /^(\w+: 0 re-encrypted with key \w+\n){5}$/);

    const { read } = await reader;
    for (const row of await read.selectFrom('provider_credentials').selectAll().execute())
      assert.equal(decryptProviderCredential(row, onlyKey(NEW)), `secret of ${row.id}`);
    for (const row of await listAllChannels(read)) {
      const { config } = decryptChannel(row, onlyKey(NEW), Date.now());
      assert.ok(config.kind === 'webhook');
      const url = urls.get(row.name) ?? 'http://127.0.0.1:9/old';
      assert.deepEqual([config.url, config.secret], [url, secret]);
    }
    await (await start(NEW)).stop();
  });

async function openStore(t: TestContext, store: 'sqlite' | 'postgres') {
  const dataDir = mkdtempSync(join(tmpdir(), 'floe-rewrap-'));
  t.after(() => rmSync(dataDir, { recursive: true, force: true }));
  const url = store === 'postgres' ? await createTestDatabase(t) : `sqlite:${join(dataDir, 'floe.db')}`;
  const env: Environment = {
    FLOE_SECRET_KEY: SECRET_KEY,
    FLOE_DATA_DIR: dataDir,
    ...(store === 'postgres' && { FLOE_DATABASE_URL: url }),
  };
  /** Opens the database next to the processes of the server. */
  const database = async () => {
    const opened = await openDatabase(url, { dataDir, log: silentLog, clock: systemClock });
    t.after(() => opened.close());
    return opened;
  };
  return { database, env, dataDir };
}
