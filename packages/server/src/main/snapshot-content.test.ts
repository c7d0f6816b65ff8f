// Tier: ci. Random sequences of changes on both engines, each compared with a complete load.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { Kysely } from 'kysely';
import { readEnvironment } from '../config/environment.ts';
import { loadConfig } from '../config/load-config.ts';
import { systemClock } from '../core/clock.ts';
import { silentLog } from '../core/log.ts';
import { derivePlatformKeyPepper, type KeyRecord } from '../platform/keyring.ts';
import { deriveStoredSecretsKey } from '../platform/secrets.ts';
import { EMPTY_PRICE_CATALOG } from '../providers/price-catalog.ts';
import { incrementCachePurgeCount } from '../store/cache-purges.ts';
import { insertConfigEntry } from '../store/config-entries.ts';
import { openDatabase } from '../store/open-database.ts';
import { insertOrg, updateOrgDetails } from '../store/orgs.ts';
import { insertPlatformKey, updatePlatformKeysLastUsed } from '../store/platform-keys.ts';
import { getSnapshotChanges } from '../store/snapshot-changes.ts';
import type { Database, DatabaseWriter } from '../store/store-interfaces.ts';
import { createTestDatabase } from '../store/test/postgres-database.ts';
import { createQueryCounter } from '../store/test/query-counter.ts';
import { createTestPlatformKeyRow } from '../store/test/rows.ts';
import { createTemporaryDirectory } from '../store/test/temporary-directory.ts';
import { refreshSnapshotContent, type SnapshotContent } from './snapshot-content.ts';

const ROOT = Buffer.alloc(32, 1);
const ENGINES = ['sqlite', 'postgres'] as const;
const RUNS = process.env['FLOE_TEST_FULL'] ? 60 : 6;

const FILES = [
  '',
  'orgs: [{ id: o1 }, { id: file, providers: [{ id: p, kind: sandbox }], cache: { enabled: true } }]',
  'orgs: [{ id: o1, cache: { enabled: false } }, { id: file, limits: [{ scope: org, rpm: 5 }] }]',
  'outbound: { proxy: "http://127.0.0.1:9" }\norgs: [{ id: o1, providers: [{ id: p1, kind: sandbox }], routes: [{ model: r1, targets: [p1/echo] }] }]',
].map((text) => loadConfig({ text, env: readEnvironment({}) }));

async function open(t: TestContext, engine: (typeof ENGINES)[number]): Promise<Database> {
  const url = engine === 'sqlite' ? 'sqlite:' : await createTestDatabase(t);
  const dataDir = createTemporaryDirectory(t);
  const database = await openDatabase(url, { dataDir, log: silentLog, clock: systemClock });
  t.after(() => database.close());
  return database;
}

const partsOf = (read: Database['read']) => ({
  database: { read },
  secretsKey: deriveStoredSecretsKey(ROOT),
  pepper: derivePlatformKeyPepper(ROOT),
  environment: { variable: () => undefined },
  prices: EMPTY_PRICE_CATALOG,
});

/** All fields of a record, some of which are getters. */
function describeKey(record: KeyRecord): Required<KeyRecord> {
  const { paths = [], deprecationHeaders = null } = record;
  const { id, orgId, name, scopes, models, team, owner } = record;
  const { expiresAt, revokedAt, hash, prefix, last4 } = record;
  const own = { id, orgId, name, scopes, models, team, owner, expiresAt, revokedAt, hash, prefix, last4 };
  return { ...own, paths, deprecationHeaders };
}

/** Everything that the content consists of, except its version and the order of keys and organizations. */
function describe({ keyring, config }: SnapshotContent): string {
  // The problems are those of the last compilation. `byOrg` has them too.
  const {
    file: _,
    unusableProviders: __,
    unusableResources: ___,
    unsupportedSettings: ____,
    ...compiled
  } = config;
  const { byOrg, catalogs, ...rest } = compiled;
  const byId = <Value>(entries: Iterable<readonly [string, Value]>) =>
    [...entries].sort(([one], [other]) => (one < other ? -1 : 1));
  const shown = {
    keys: byId([...keyring.records()].map((record) => [record.hash, describeKey(record)] as const)),
    imported: keyring.hasImportedKeys,
    orgs: byId(byOrg),
    catalogs: byId(catalogs),
    rest: {
      ...rest,
      orgs: byId(rest.orgs.map((org) => [org.id, org] as const)),
      apiProviders: [...rest.apiProviders].map(({ id }) => id).sort(),
      problems: byId(rest.problems),
    },
  };
  const text = inspect(shown, { depth: 14, sorted: true, maxArrayLength: null, maxStringLength: null });
  // Each compilation gives a set of policies another number, by which threads know it.
  return text.replace(/\bid: \d+\b/g, 'id: …');
}

const hashOf = (number: number) => (number * 7919 + 1).toString(16).padStart(4, '0').repeat(16);
const by = { updated_at: 1, updated_by: 'test' };

/** One change of any kind. `at` selects the row and `value` its content. */
interface Change {
  readonly kind: (typeof CHANGE_KINDS)[number];
  readonly at: number;
  readonly value: number;
}

const CHANGE_KINDS = [
  ...(['org', 'rename', 'key', 'update', 'rotate', 'endOverlap', 'revoke', 'remove', 'use'] as const),
  ...(['provider', 'route', 'policy', 'setting', 'removeEntry', 'moveEntry', 'credential'] as const),
  ...(['limit', 'budget', 'relayRule', 'removeRule', 'purge', 'file', 'refresh'] as const),
];

let made = 0;

async function applyKeyChange(writer: DatabaseWriter, { kind, at, value }: Change): Promise<void> {
  const org_id = `o${at % 3}`;
  const id = `key_${at}`;
  const keys = writer.updateTable('platform_keys').where('id', '=', id);
  const exists = await writer.selectFrom('platform_keys').selectAll().where('id', '=', id).executeTakeFirst();
  made += 1;
  if (kind === 'key' && !exists) {
    const prefix = value === 0 ? 'sha256:' : 'eis_AbCd';
    await insertPlatformKey(writer, createTestPlatformKeyRow(id, { org_id, hash: hashOf(made), prefix }));
  }
  if (kind === 'update')
    await keys.set({ team: `t${value}`, models_json: JSON.stringify([`m${value}`]) }).execute();
  if (kind === 'rotate' && exists) {
    const rotated = { hash: hashOf(made), previous_hash: exists.hash, previous_until: 9e12, rotated_at: 5 };
    await keys.set(rotated).execute();
  }
  if (kind === 'endOverlap') await keys.set({ previous_hash: null, previous_until: null }).execute();
  if (kind === 'revoke') await keys.set({ revoked_at: value === 0 ? null : systemClock.now() }).execute();
  if (kind === 'remove') await writer.deleteFrom('platform_keys').where('id', '=', id).execute();
  if (kind === 'use') await updatePlatformKeysLastUsed(writer, [{ id, usedAt: value }]);
}

/** The entry that a change creates or replaces. */
function entryOf({ kind, at, value }: Change): { kind: string; id: string; entry: object } | null {
  if (kind === 'provider') {
    const id = `p${at % 2}`;
    const openai = { id, kind: 'openai', base_url: `https://h${value}.example/v1` };
    return { kind: 'providers', id, entry: value === 0 ? { id, kind: 'sandbox' } : openai };
  }
  if (kind === 'route') {
    const entry = { model: `r${at % 2}`, targets: [{ model: `p${value % 2}/echo` }] };
    return { kind: 'routes', id: entry.model, entry };
  }
  if (kind === 'policy')
    return {
      kind: 'policies',
      id: 'deny',
      entry: { name: 'deny', on: 'request', action: 'deny', when: `request.max_tokens > ${value}` },
    };
  if (kind === 'setting') return { kind: 'settings', id: 'cache', entry: { value: { enabled: value > 0 } } };
  return null;
}

async function applyConfigChange(writer: DatabaseWriter, change: Change): Promise<void> {
  const { kind, at, value } = change;
  const org_id = `o${at % 3}`;
  const entry = entryOf(change);
  if (entry) {
    const row = { ...by, created_at: 1, org_id, kind: entry.kind, id: entry.id, row_id: `cfg_${entry.id}` };
    const text = { entry_json: JSON.stringify(entry.entry), source: value === 3 ? 'file' : 'console' };
    const secrets = { secrets_sealed: null, secrets_version: 0 };
    await writer
      .insertInto('config_entries')
      .values({ ...row, ...text, ...secrets, position: 0, source_line: null })
      .onConflict((conflict) => conflict.columns(['org_id', 'kind', 'id']).doUpdateSet(text))
      .execute();
  }
  const entries = writer.updateTable('config_entries').where('org_id', '=', org_id);
  if (kind === 'moveEntry')
    await entries
      .where('id', '=', `p${value % 2}`)
      .set({ position: at })
      .execute();
  if (kind === 'removeEntry')
    await writer
      .deleteFrom('config_entries')
      .where('org_id', '=', org_id)
      .where('id', '=', `r${value % 2}`)
      .execute();
  if (kind === 'credential') {
    const place = { org_id, provider_id: `p${at % 2}`, id: `crd_${org_id}_${at % 2}`, name: 'default' };
    const secret = {
      weight: 1,
      origin: 'https://h1.example',
      last4: '1234',
      sealed: 'unreadable',
      version: 1,
    };
    const tests = { tested_at: null, test_json: null };
    await writer
      .insertInto('provider_credentials')
      .values({ ...place, ...secret, ...tests, ...by, created_at: 1 })
      .onConflict((conflict) => conflict.column('id').doUpdateSet({ weight: value }))
      .execute();
  }
}

const RULES = {
  limit: (value: number) => ['limits', { scope: 'org', rpm: value + 1 }] as const,
  budget: (value: number) =>
    ['budgets', { name: 'b', scope: 'org', limit_usd: value + 1, period: 'day' }] as const,
  relayRule: (value: number) =>
    [
      'relay_rules',
      { name: `rule${value}`, on: 'prompt', decision: 'deny', detect: { secrets: true } },
    ] as const,
};

async function applyRuleChange(writer: DatabaseWriter, { kind, at, value }: Change): Promise<void> {
  const org_id = `o${at % 3}`;
  if (kind === 'limit' || kind === 'budget' || kind === 'relayRule') {
    const [table, rule] = RULES[kind](value);
    const rule_json = JSON.stringify(rule);
    await writer
      .insertInto(table)
      .values({ ...by, id: 'rule', org_id, rule_json, created_at: 1 })
      .onConflict((conflict) => conflict.columns(['org_id', 'id']).doUpdateSet({ rule_json }))
      .execute();
  }
  if (kind === 'removeRule') await writer.deleteFrom('limits').where('org_id', '=', org_id).execute();
  if (kind === 'purge') await incrementCachePurgeCount(writer, org_id);
  if (kind === 'rename')
    await updateOrgDetails(writer, org_id, {
      ...by,
      name: `n${value}`,
      timezone: value > 1 ? 'Europe/Paris' : null,
    });
}

const changeArbitrary: fc.Arbitrary<Change> = fc.record({
  kind: fc.constantFrom(...CHANGE_KINDS),
  at: fc.nat(5),
  value: fc.nat(3),
});

for (const engine of ENGINES) {
  test(`${engine}: after any changes, the refreshed content equals a complete load`, async (t) => {
    const database = await open(t, engine);
    await database.transaction(async (writer) => {
      for (const at of [0, 1, 2]) await insertOrg(writer, { id: `o${at}`, name: 'N', created_at: at });
    });
    const parts = partsOf(database.read);
    let file = FILES[0];
    assert.ok(file);
    let content = await refreshSnapshotContent(null, file, parts);
    const check = async (current: NonNullable<typeof file>) => {
      content = await refreshSnapshotContent(content, current, parts);
      assert.equal(describe(content), describe(await refreshSnapshotContent(null, current, parts)));
    };
    await fc.assert(
      fc.asyncProperty(fc.array(changeArbitrary, { minLength: 5, maxLength: 25 }), async (changes) => {
        for (const change of changes) {
          await database.transaction(async (writer) => {
            await applyKeyChange(writer, change);
            await applyConfigChange(writer, change);
            await applyRuleChange(writer, change);
          });
          if (change.kind === 'org')
            await database.transaction(async (writer) => {
              const org = { id: `new${change.at}`, name: 'N', created_at: 9 };
              await writer
                .insertInto('orgs')
                .values({ ...org, metadata_keys_json: null })
                .onConflict((conflict) => conflict.doNothing())
                .execute();
            });
          file = change.kind === 'file' ? (FILES[change.value] ?? file) : file;
          assert.ok(file);
          if (change.kind === 'refresh' || change.kind === 'file') await check(file);
        }
        assert.ok(file);
        await check(file);
      }),
      { numRuns: RUNS },
    );
  });

  test(`${engine}: a change reads and compiles only what it concerns`, async (t) => {
    const database = await open(t, engine);
    const [file] = FILES;
    assert.ok(file);
    await database.transaction(async (writer) => {
      for (let at = 0; at < 20; at++) await insertOrg(writer, { id: `o${at}`, name: 'N', created_at: at });
      for (let at = 0; at < 300; at++) {
        const key = { org_id: `o${at % 20}`, hash: hashOf(at) };
        await insertPlatformKey(writer, createTestPlatformKeyRow(`key_${at}`, key));
      }
      for (let at = 0; at < 20; at++)
        await applyConfigChange(writer, { kind: 'provider', at: at % 3, value: at % 2 });
    });
    const { counts, plugin } = createQueryCounter();
    assert.ok(database.read instanceof Kysely);
    const parts = partsOf(database.read.withPlugin(plugin));
    const first = await refreshSnapshotContent(null, file, parts);
    assert.ok(counts.rows > 320, `${counts.rows} rows`);
    const count = async (before: SnapshotContent) => {
      counts.rows = 0;
      counts.statements = 0;
      return refreshSnapshotContent(before, file, parts);
    };
    const unchanged = await count(first);
    assert.deepEqual([counts.rows, counts.statements], [1, 1], 'the last entry of the log');
    assert.equal(unchanged.config, first.config);
    assert.equal(unchanged.keyring, first.keyring);

    await database.transaction((writer) =>
      writer.updateTable('platform_keys').set({ team: 'x' }).where('id', '=', 'key_7').execute(),
    );
    const afterKey = await count(first);
    assert.deepEqual([counts.rows, counts.statements], [3, 2], 'two entries of the log and the key');
    assert.equal(afterKey.config, first.config);
    const kept = new Set(first.keyring.records());
    assert.equal([...afterKey.keyring.records()].filter((record) => !kept.has(record)).length, 1);

    await database.transaction((writer) => applyConfigChange(writer, { kind: 'route', at: 1, value: 1 }));
    const afterRoute = await count(afterKey);
    assert.ok(counts.rows < 12, `${counts.rows} rows`);
    const compiled = [...afterRoute.config.byOrg].filter(([id, org]) => first.config.byOrg.get(id) !== org);
    assert.deepEqual(
      compiled.map(([id]) => id),
      ['o1'],
    );
    assert.equal(afterRoute.keyring, afterKey.keyring);
  });

  test(`${engine}: after a restore, everything is loaded again`, async (t) => {
    const database = await open(t, engine);
    const [file] = FILES;
    assert.ok(file);
    await database.transaction(async (writer) => {
      await insertOrg(writer, { id: 'o1', name: 'N', created_at: 1 });
      await insertPlatformKey(writer, createTestPlatformKeyRow('key_1', { org_id: 'o1', hash: hashOf(1) }));
    });
    const parts = partsOf(database.read);
    const before = await refreshSnapshotContent(null, file, parts);
    await database.transaction(async (writer) => {
      await writer.deleteFrom('platform_keys').execute();
      await writer.deleteFrom('snapshot_changes').execute();
    });
    assert.deepEqual([...(await refreshSnapshotContent(before, file, parts)).keyring.records()], []);
  });

  test(`${engine}: every column of a key is logged, or has no effect on the snapshot`, async (t) => {
    const database = await open(t, engine);
    await database.transaction(async (writer) => {
      await insertOrg(writer, { id: 'o1', name: 'N', created_at: 1 });
      await insertOrg(writer, { id: 'o2', name: 'N', created_at: 1 });
      await insertPlatformKey(writer, createTestPlatformKeyRow('key_1', { org_id: 'o1', hash: hashOf(1) }));
    });
    const row = await database.read.selectFrom('platform_keys').selectAll().executeTakeFirstOrThrow();
    const silent: string[] = [];
    let { version } = await getSnapshotChanges(database.read, 0, 1_000);
    for (const column of Object.keys(row)) {
      if (column === 'id') continue;
      const value = /_at$|_until$|_line$/.test(column) ? 77 : column === 'org_id' ? 'o2' : '["x"]';
      await database.transaction((writer) =>
        writer
          .updateTable('platform_keys')
          .set({ [column]: value })
          .execute(),
      );
      const changes = await getSnapshotChanges(database.read, version, 1_000);
      if (changes.version === version) silent.push(column);
      version = changes.version;
    }
    assert.deepEqual(silent.sort(), [
      ...['created_at', 'created_by', 'imported_from', 'last_used_at', 'leaked_at'],
      ...['previous_last_used_at', 'rotation_id', 'source', 'source_file', 'source_line'],
      ...['updated_at', 'updated_by'],
    ]);
  });

  test(`${engine}: more changes than one read returns are applied, and an unknown kind of change is ignored`, async (t) => {
    const database = await open(t, engine);
    const [file] = FILES;
    assert.ok(file);
    await database.transaction((writer) => insertOrg(writer, { id: 'o1', name: 'N', created_at: 1 }));
    const parts = partsOf(database.read);
    const first = await refreshSnapshotContent(null, file, parts);
    await database.transaction(async (writer) => {
      const next = { kind: 'next_release', id: 'x', seq: first.version + 1 };
      await writer.insertInto('snapshot_changes').values(next).execute();
      for (let at = 0; at < 2_300; at++)
        await insertPlatformKey(
          writer,
          createTestPlatformKeyRow(`key_${at}`, { org_id: 'o1', hash: hashOf(at) }),
        );
    });
    for (const before of [first, null]) {
      const { keyring } = await refreshSnapshotContent(before, file, parts);
      assert.equal([...keyring.records()].length, 2_300);
    }
  });

  test(`${engine}: an unreadable resource is a problem of its provider or is listed`, async (t) => {
    const database = await open(t, engine);
    const [file] = FILES;
    assert.ok(file);
    const entry = {
      ...by,
      created_at: 1,
      org_id: 'o1',
      source: 'console',
      source_line: null,
      secrets_version: 1,
    };
    await database.transaction(async (writer) => {
      await insertOrg(writer, { id: 'o1', name: 'N', created_at: 1 });
      const provider = {
        kind: 'providers',
        id: 'p1',
        row_id: 'cfg_1',
        position: 1,
        secrets_sealed: 'unreadable',
      };
      const openai = '{"id":"p1","kind":"openai"}';
      await insertConfigEntry(writer, { ...entry, ...provider, entry_json: openai });
      const policy = { kind: 'policies', id: 'deny', row_id: 'cfg_2', position: 2, secrets_sealed: null };
      await insertConfigEntry(writer, { ...entry, ...policy, entry_json: '{"next_release":1}' });
    });
    const { config } = await refreshSnapshotContent(null, file, partsOf(database.read));
    assert.deepEqual([...config.problems.keys()], ['o1/p1']);
    assert.deepEqual(
      config.unusableResources.map(({ id }) => id),
      ['o1/policies/deny'],
    );
  });
}

test('a provider of the environment does not replace a stored provider whose secrets are unreadable', async (t) => {
  const database = await open(t, 'sqlite');
  const [file] = FILES;
  assert.ok(file);
  await database.transaction(async (writer) => {
    await insertOrg(writer, { id: 'default', name: 'N', created_at: 1 });
    await insertConfigEntry(writer, {
      ...by,
      created_at: 1,
      org_id: 'default',
      source: 'console',
      source_line: null,
      secrets_version: 1,
      kind: 'providers',
      id: 'openai',
      row_id: 'cfg_1',
      position: 1,
      secrets_sealed: 'unreadable',
      entry_json: '{"id":"openai","kind":"openai"}',
    });
  });
  const variable = (name: string) => (/^(OPENAI|GROQ)_API_KEY$/.test(name) ? 'sk-machine' : undefined);
  const parts = { ...partsOf(database.read), environment: { variable } };
  const { config } = await refreshSnapshotContent(null, file, parts);
  const providers = config.catalogs.get('default')?.providers;
  assert.deepEqual([providers?.has('groq'), providers?.has('openai')], [true, false]);
  assert.deepEqual([...config.problems.keys()], ['default/openai']);
});
