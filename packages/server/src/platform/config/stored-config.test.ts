import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { OrgSchema } from '@floe/contract/config/org';
import { systemClock } from '../../core/clock.ts';
import { silentLog } from '../../core/log.ts';
import {
  insertConfigEntry,
  insertProviderCredential,
  listAllConfigEntries,
  updateConfigEntry,
} from '../../store/config-entries.ts';
import { openDatabase } from '../../store/open-database.ts';
import { insertOrg } from '../../store/orgs.ts';
import { runAndRollBack } from '../../store/run-and-roll-back.ts';
import type { Database } from '../../store/store-interfaces.ts';
import { createTestDatabase } from '../../store/test/postgres-database.ts';
import { createResourceKindSyncFactory } from '../config-file-sync.ts';
import { requireKnownEncryptionKeys, rewrapStoredSecrets } from '../rewrap-secrets.ts';
import { deriveStoredResponsesKey, deriveStoredSecretsKey, encryptSecret } from '../secrets.ts';
import { syncTestOrgs } from '../test/sync-orgs.ts';
import {
  CONFIG_FILE_POLICY_RESOURCE_KIND,
  CONFIG_FILE_PROVIDER_RESOURCE_KIND,
  CONFIG_FILE_ROUTE_RESOURCE_KIND,
  CONFIG_FILE_SETTINGS_RESOURCE_KIND,
} from './config-file-entries.ts';
import { encryptProviderSecrets, toCredentialSecretLocation } from './provider-secrets.ts';
import { loadStoredConfig, mergeConfig } from './stored-config.ts';

const ROOT = Buffer.alloc(32, 1);
const key = deriveStoredSecretsKey(ROOT);
const FILE = {
  id: 'acme',
  providers: [{ id: 'main', kind: 'sandbox', headers: { 'x-secret': 'hidden' } }],
  routes: [{ model: 'smart', targets: ['main/echo'] }],
  cache: { enabled: true },
};
const ORG = OrgSchema.parse(FILE);
const FILE_ENTRIES = [
  createResourceKindSyncFactory(CONFIG_FILE_PROVIDER_RESOURCE_KIND),
  createResourceKindSyncFactory(CONFIG_FILE_ROUTE_RESOURCE_KIND),
  createResourceKindSyncFactory(CONFIG_FILE_POLICY_RESOURCE_KIND),
  createResourceKindSyncFactory(CONFIG_FILE_SETTINGS_RESOURCE_KIND),
];

async function open(t: TestContext, engine: 'sqlite' | 'postgres'): Promise<Database> {
  const dataDir = await mkdtemp(join(tmpdir(), 'floe-entries-'));
  const url = engine === 'sqlite' ? 'sqlite:' : await createTestDatabase(t);
  const database = await openDatabase(url, { dataDir, log: silentLog, clock: systemClock });
  t.after(async () => {
    await database.close();
    await rm(dataDir, { recursive: true });
  });
  await database.transaction((writer) => insertOrg(writer, { id: 'acme', name: 'Acme', created_at: 1 }));
  return database;
}

async function addProvider(database: Database, id: string, origin: string): Promise<void> {
  const place = { org_id: 'acme', row_id: `cfg_${id}` };
  const times = { created_at: 1, updated_at: 1, updated_by: 'key_1' };
  const credential = { org_id: 'acme', id: `crd_${id}` };
  await database.transaction(async (writer) => {
    await insertConfigEntry(writer, {
      ...place,
      ...times,
      kind: 'providers',
      id,
      position: 0,
      entry_json: JSON.stringify({ id, kind: 'openai-compatible', base_url: 'https://a.example/v1' }),
      secrets_sealed: encryptProviderSecrets({ headers: { 'x-extra': 'hidden' } }, place, 1, key),
      secrets_version: 1,
      source: 'console',
      source_line: null,
    });
    await insertProviderCredential(writer, {
      ...credential,
      ...times,
      provider_id: id,
      name: 'default',
      weight: 0.5,
      origin,
      last4: '4321',
      sealed: encryptSecret('the-key', toCredentialSecretLocation(credential, 1), key),
      version: 1,
      tested_at: null,
      test_json: null,
    });
  });
}

for (const engine of ['sqlite', 'postgres'] as const) {
  test(`${engine}: the file and the API are merged, and keys are used only for the URL they were stored for`, async (t) => {
    const database = await open(t, engine);
    await addProvider(database, 'own', 'https://a.example');
    await addProvider(database, 'moved', 'https://elsewhere.example');
    await addProvider(database, 'main', 'https://a.example');
    const stored = await loadStoredConfig(database.read, key);
    const { orgs, apiProviders } = mergeConfig([ORG], () => false, stored, null);
    const [org] = orgs;
    const shown = org?.providers.map((one) => [
      one.id,
      one.kind,
      one.credentials.map(({ api_key }) => api_key),
    ]);
    assert.deepEqual(shown, [
      ['main', 'sandbox', []],
      ['moved', 'openai-compatible', []],
      ['own', 'openai-compatible', ['the-key']],
    ]);
    assert.deepEqual([...apiProviders].map(({ id, headers }) => [id, headers['x-extra']]).sort(), [
      ['moved', 'hidden'],
      ['own', 'hidden'],
    ]);
    const other = await loadStoredConfig(database.read, deriveStoredSecretsKey(Buffer.alloc(32, 2)));
    assert.deepEqual(other.orgs.get('acme')?.providers, []);
    assert.equal(other.unusable.length, 3);
  });

  test(`${engine}: entries of the file are written once and removed once, and each change is audited`, async (t) => {
    const database = await open(t, engine);
    const sync = (nowMs: number, orgs: readonly object[] = [FILE]) =>
      database.transaction((writer) => syncTestOrgs(writer, FILE_ENTRIES, orgs, { nowMs, line: 10 }));
    const audits = async () =>
      (await database.read.selectFrom('audit').select(['action', 'actor']).execute()).map(
        ({ action, actor }) => `${actor} ${action}`,
      );
    const rows = () => database.read.selectFrom('config_entries').selectAll().orderBy('kind').execute();
    await sync(1);
    const written = await rows();
    assert.deepEqual(
      written.map((row) => `${row.kind}/${row.id}:${row.source_line}`),
      ['providers/main:10', 'routes/smart:10', 'settings/cache:10'],
    );
    assert.doesNotMatch(JSON.stringify(written), /hidden/);
    const first = (await audits()).sort();
    assert.deepEqual(first, ['file providers.create', 'file routes.create', 'file settings.create']);
    await sync(2);
    assert.deepEqual(await rows(), written);
    await sync(3, []);
    assert.deepEqual(await rows(), []);
    await sync(4, []);
    assert.equal((await audits()).length, 6);
  });

  test(`${engine}: a provider that a stored route refers to remains when it leaves the file`, async (t) => {
    const database = await open(t, engine);
    const sync = (...orgs: readonly object[]) =>
      database.transaction((writer) => syncTestOrgs(writer, FILE_ENTRIES, orgs, { nowMs: 1 }));
    const shown = async () =>
      (await listAllConfigEntries(database.read)).map(({ kind, id, source, source_line }) => [
        kind,
        id,
        source,
        source_line,
      ]);
    await sync(FILE);
    await database.transaction((writer) =>
      updateConfigEntry(
        writer,
        { org_id: 'acme', kind: 'routes', id: 'smart' },
        { source: 'console', source_line: null },
      ),
    );
    await sync({ id: 'acme' });
    assert.deepEqual((await shown()).sort(), [
      ['providers', 'main', 'console', null],
      ['routes', 'smart', 'console', null],
    ]);
    // Both leave it at once: the route does not hold the provider back.
    await sync(FILE);
    await sync({ id: 'acme' });
    assert.deepEqual(await shown(), []);
  });

  test(`${engine}: a dry run is rolled back, and a rewrap includes every table`, async (t) => {
    const database = await open(t, engine);
    await addProvider(database, 'own', 'https://a.example');
    const count = await runAndRollBack(database, async (writer) => {
      await syncTestOrgs(writer, FILE_ENTRIES, [FILE], { nowMs: 1 });
      return (await writer.selectFrom('config_entries').selectAll().execute()).length;
    });
    assert.equal(count, 4);
    assert.equal((await database.read.selectFrom('config_entries').selectAll().execute()).length, 1);
    await assert.rejects(
      runAndRollBack(database, async () => assert.fail('inside')),
      /inside/,
    );
    const keys = {
      secrets: deriveStoredSecretsKey(ROOT, ['n'.repeat(32)]),
      turns: deriveStoredResponsesKey(ROOT),
    };
    const done = await rewrapStoredSecrets(database, keys);
    assert.deepEqual(
      done.filter(({ rewrapped }) => rewrapped > 0).map(({ table }) => table),
      ['config_entries', 'provider_credentials'],
    );
    const { previousKeys: _, ...alone } = keys.secrets;
    await database.transaction((writer) => requireKnownEncryptionKeys(writer, alone));
    const stored = await loadStoredConfig(database.read, alone);
    assert.equal(stored.orgs.get('acme')?.providers[0]?.credentials[0]?.api_key, 'the-key');
  });
}
