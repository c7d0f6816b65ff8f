import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, beforeEach, test } from 'node:test';
import { systemClock } from '../core/clock.ts';
import { listAllPlatformKeys } from '../store/all-platform-keys.ts';
import { insertOrg } from '../store/orgs.ts';
import { insertPlatformKey, revokePlatformKey, updatePlatformKey } from '../store/platform-keys.ts';
import { storeSetting } from '../store/settings.ts';
import { deleteStoredRule, upsertStoredRule } from '../store/stored-rules.ts';
import {
  createConfigFilePlatformKeyResourceKind,
  STORED_PLATFORM_KEY_RESOURCE_KIND,
} from './config-file-platform-keys.ts';
import { ConfigFileRejectedError } from './config-file-rejected-error.ts';
import { createResourceKindSyncFactory } from './config-file-sync.ts';
import { generatePlatformKey } from './key-format.ts';
import { hashPlatformKey } from './keyring.ts';
import { loadKeyring } from './load-keyring.ts';
import { syncTestOrgs } from './test/sync-orgs.ts';
import {
  openTestPlatform,
  PLATFORM_TEST_NOW,
  platformTestPepper,
  type TestPlatform,
} from './test/test-platform.ts';

let stored: TestPlatform;
before(async () => {
  stored = await openTestPlatform(systemClock);
});
beforeEach(() =>
  stored.database.transaction(async (writer) => {
    // As if retention had removed all of it: nothing else may.
    await storeSetting(writer, 'audit_kept_from', String(Number.MAX_SAFE_INTEGER));
    for (const table of ['audit', 'limits', 'platform_keys', 'orgs'] as const)
      await writer.deleteFrom(table).execute();
    for (const id of ['acme', 'another', 'other'])
      await insertOrg(writer, { id, name: id, created_at: PLATFORM_TEST_NOW });
  }),
);
after(() => stored.close());

const fileKey = (more: object = {}) => ({
  name: 'ci',
  key: generatePlatformKey(),
  scopes: ['gateway'],
  ...more,
});
const sync = (keys: readonly object[], nowMs = PLATFORM_TEST_NOW, { id = 'acme', line = 7 } = {}) =>
  stored.database.transaction((writer) =>
    syncTestOrgs(
      writer,
      [createResourceKindSyncFactory(createConfigFilePlatformKeyResourceKind(platformTestPepper))],
      [{ id, keys }],
      {
        nowMs,
        line,
      },
    ),
  );
const rows = () => listAllPlatformKeys(stored.database.read);
const only = async () => {
  const [row, ...others] = await rows();
  assert.ok(row);
  assert.equal(others.length, 0);
  return row;
};
const actions = async (id: string) =>
  (await stored.auditOf(id)).map(({ action, actor }) => `${actor} ${action}`);
const authenticate = async (key: string, nowMs = PLATFORM_TEST_NOW) =>
  (await loadKeyring(stored.database.read, platformTestPepper, nowMs)).authenticate(key, nowMs);

test('a key in the file is not renamed to the name of another active key, and not while API rules name it', async () => {
  const key = fileKey();
  await sync([key]);
  const { hash, ...row } = await only();
  const other = { ...row, hash: `other ${hash}`, id: 'key_other', name: 'other', source: 'console' };
  await stored.database.transaction((writer) => insertPlatformKey(writer, other));
  const limit = { scope: 'key', key: 'ci', rpm: 1 };
  const rule = { id: 'l', org_id: 'acme', rule_json: JSON.stringify(limit) };
  const times = { created_at: 1, updated_at: 1, updated_by: 'setup' };
  await stored.database.transaction((writer) => upsertStoredRule(writer, 'limits', { ...rule, ...times }));
  const rejected = async (name: string) => {
    try {
      await sync([{ ...key, name }]);
    } catch (error) {
      assert.ok(error instanceof ConfigFileRejectedError);
      return error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
    }
    return [];
  };
  assert.deepEqual(await rejected('other'), [
    'orgs.0.keys.0.name: must not be the name of another active key; key_other already has this name',
    'orgs.0.keys.0.name: the key "ci" cannot be renamed, because other resources refer to its name: limit l. Change these resources first.',
  ]);
  assert.equal((await rejected('renamed')).length, 1);
  await stored.database.transaction(async (writer) => {
    await deleteStoredRule(writer, 'limits', 'acme', 'l');
    await revokePlatformKey(writer, 'acme', 'key_other', { by: 'setup', nowMs: PLATFORM_TEST_NOW });
  });
  assert.deepEqual(await rejected('other'), []);
});

test('a revoked key does not become active with the name of another active key', async () => {
  const key = fileKey();
  await sync([key]);
  const { hash, ...row } = await only();
  await sync([]);
  const insert = (more: object) =>
    stored.database.transaction((writer) =>
      insertPlatformKey(writer, { ...row, hash: `other ${hash}`, source: 'console', ...more }),
    );
  await insert({ id: 'key_active' });
  const conflict = /must not be the name of another active key; key_active already has this name/;
  await assert.rejects(sync([key]), conflict);

  // A leaked key stays revoked.
  const leak = (leaked_at: number | null) =>
    stored.database.transaction((writer) => updatePlatformKey(writer, 'acme', row.id, { leaked_at }));
  await leak(1);
  await sync([key]);
  await leak(null);
  await assert.rejects(sync([key]), conflict);

  const revoked = fileKey();
  await insert({ id: 'key_revoked', hash: hashPlatformKey(platformTestPepper, revoked.key), revoked_at: 1 });
  await assert.rejects(sync([revoked]), conflict);
  await sync([{ ...revoked, name: 'other' }]);
  assert.equal((await authenticate(revoked.key)).name, 'other');
});

test('a key in the file works, also with the prefix sk-, and has all settings of the file', async () => {
  const key = fileKey({
    team: 'platform',
    owner: 'ci@acme.example',
    models: ['openai/*'],
    expires_at: '2027-01-01T00:00:00Z',
  });
  await sync([{ ...key, key: `sk-${key.key}` }]);
  const record = await authenticate(key.key);
  assert.deepEqual(
    [record.name, record.orgId, record.team, record.owner],
    ['ci', 'acme', 'platform', 'ci@acme.example'],
  );
  assert.deepEqual([...record.scopes], ['gateway']);
  assert.equal(record.expiresAt, Date.UTC(2027, 0, 1));
  assert.ok(record.models?.('openai/gpt-5') && !record.models('anthropic/claude'));
  assert.deepEqual([record.prefix, record.last4], [key.key.slice(0, 8), key.key.slice(-4)]);
  assert.deepEqual(await actions(record.id), ['file keys.create']);
});

test('a key that is imported with its hash works, is marked, and loses the mark when it has its own value', async () => {
  const value = 'sk-Nn7QeGhZ0A1b2c3d4e5f6g';
  const imported_hash = `sha256:${createHash('sha256').update(value).digest('hex')}`;
  await sync([{ name: 'ci', imported_hash, imported_from: 'litellm' }]);
  const row = await only();
  assert.equal(row.imported_from, 'litellm');
  assert.ok(!JSON.stringify(row).includes(imported_hash.slice(7)), 'only its HMAC is stored');
  assert.equal((await authenticate(value)).id, row.id);
  const own = fileKey();
  await sync([own], PLATFORM_TEST_NOW + 1);
  assert.equal((await only()).imported_from, null);
  await assert.rejects(authenticate(value), /invalid/);
});

test('an unchanged file changes and audits nothing, and a moved line is not a change', async () => {
  const key = fileKey();
  await sync([key]);
  const first = await only();
  await sync([key], PLATFORM_TEST_NOW + 5);
  assert.deepEqual(await only(), first);
  await sync([key], PLATFORM_TEST_NOW + 6, { line: 99 });
  assert.equal((await only()).source_line, 99);
  assert.deepEqual(await actions(first.id), ['file keys.create']);
});

test('a new value with the same name keeps the id and invalidates the old value', async () => {
  const key = fileKey();
  await sync([key]);
  const { id } = await only();
  const next = fileKey();
  await sync([next], PLATFORM_TEST_NOW + 1);
  assert.equal((await authenticate(next.key)).id, id);
  await assert.rejects(authenticate(key.key), { code: 'invalid_api_key' });
  const [, update] = await stored.auditOf(id);
  assert.equal(update?.action, 'keys.update');
  assert.ok(!`${update?.before_json}${update?.after_json}`.includes(next.key.slice(8, -4)));
});

test('a new name with the same value keeps the id', async () => {
  const key = fileKey();
  await sync([key]);
  const { id } = await only();
  await sync([{ ...key, name: 'deploy' }]);
  assert.equal((await only()).id, id);
  assert.equal((await authenticate(key.key)).name, 'deploy');
});

test('two keys can swap their names or values in one step', async () => {
  const a = fileKey({ name: 'a' });
  const b = fileKey({ name: 'b' });
  await sync([a, b]);
  await sync([
    { ...a, name: 'b' },
    { ...b, name: 'a' },
  ]);
  assert.equal((await authenticate(a.key)).name, 'b');
  assert.equal((await authenticate(b.key)).name, 'a');
  const fresh = fileKey({ name: 'b' });
  await sync([fresh, { ...a, name: 'a' }]);
  assert.equal((await authenticate(fresh.key)).name, 'b');
  assert.equal((await authenticate(a.key)).name, 'a');
  await assert.rejects(authenticate(b.key), { code: 'key_revoked' });
});

test('a key that leaves the file is revoked, keeps its history, and works again when it returns', async () => {
  const key = fileKey();
  await sync([key]);
  const { id } = await only();
  await sync([], PLATFORM_TEST_NOW + 1);
  await assert.rejects(authenticate(key.key), { code: 'key_revoked' });
  await sync([key], PLATFORM_TEST_NOW + 2);
  assert.equal((await authenticate(key.key)).id, id);
  assert.deepEqual(await actions(id), ['file keys.create', 'file keys.revoke', 'file keys.update']);
});

test('an organization that leaves the file loses its keys in the file, and no others', async () => {
  const key = fileKey();
  await sync([key]);
  const made = await only();
  await stored.database.transaction((writer) =>
    insertPlatformKey(writer, {
      ...made,
      id: 'key_console',
      name: 'mine',
      hash: 'h'.repeat(64),
      source: 'console',
    }),
  );
  await sync([], PLATFORM_TEST_NOW + 1, { id: 'another' });
  const after = new Map((await rows()).map((row) => [row.id, row.revoked_at]));
  assert.deepEqual([after.get(made.id), after.get('key_console')], [PLATFORM_TEST_NOW + 1, null]);
});

test('a key that the console created becomes a key of the file by its name or value', async () => {
  const key = fileKey();
  await sync([key]);
  const made = await only();
  await stored.database.transaction((writer) =>
    writer.updateTable('platform_keys').set({ source: 'console', source_line: null }).execute(),
  );
  await sync([fileKey()]);
  assert.deepEqual([(await only()).id, (await only()).source], [made.id, 'file']);
});

test("a value of another organization's key is rejected, and nothing is stored", async () => {
  const key = fileKey();
  await sync([key]);
  await assert.rejects(
    stored.database.transaction((writer) =>
      syncTestOrgs(
        writer,
        [createResourceKindSyncFactory(createConfigFilePlatformKeyResourceKind(platformTestPepper))],
        [{ id: 'acme' }, { id: 'other', keys: [key] }],
        {
          nowMs: PLATFORM_TEST_NOW,
        },
      ),
    ),
    (error) => {
      assert.ok(error instanceof ConfigFileRejectedError);
      assert.deepEqual(
        error.issues.map(({ path }) => path),
        [['orgs', 1, 'keys', 0, 'key']],
      );
      assert.match(error.message, /of another organization's key.*use a different value/);
      assert.ok(!error.message.includes(key.key));
      return true;
    },
  );
  assert.equal((await only()).revoked_at, null);
});

test('a file and documents are compared without the revoked keys of the API, unless the file has their value', async () => {
  const key = fileKey();
  await sync([key]);
  const { hash, ...row } = await only();
  const add = (id: string, more: object) =>
    stored.database.transaction((writer) =>
      insertPlatformKey(writer, { ...row, id, hash: `${id} ${hash}`, name: id, source: 'console', ...more }),
    );
  await add('key_active', {});
  await add('key_revoked', { revoked_at: 1 });
  const compared = await STORED_PLATFORM_KEY_RESOURCE_KIND.stored(stored.database.read, ['acme']);
  assert.deepEqual(compared.map(({ id }) => id).toSorted(), [row.id, 'key_active'].toSorted());

  const again = fileKey({ name: 'again' });
  const rotated = fileKey({ name: 'rotated' });
  const hashOf = ({ key: value }: { readonly key: string }) => hashPlatformKey(platformTestPepper, value);
  await add('key_again', { revoked_at: 1, hash: hashOf(again) });
  await add('key_rotated', { revoked_at: 1, previous_hash: hashOf(rotated) });
  await sync([key, again, rotated]);
  assert.deepEqual(
    [(await authenticate(again.key)).id, (await authenticate(rotated.key)).id],
    ['key_again', 'key_rotated'],
  );
});
