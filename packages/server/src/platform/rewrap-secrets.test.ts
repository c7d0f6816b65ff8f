import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { systemClock } from '../core/clock.ts';
import { insertProviderCredential, updateProviderCredential } from '../store/config-entries.ts';
import { insertOrg } from '../store/orgs.ts';
import type { Database } from '../store/store-interfaces.ts';
import { requireKnownEncryptionKeys, rewrapStoredSecrets } from './rewrap-secrets.ts';
import { decryptSecret, deriveStoredResponsesKey, deriveStoredSecretsKey, encryptSecret } from './secrets.ts';
import { openTestPlatform } from './test/test-platform.ts';

const ROOT = Buffer.alloc(32, 1);
const [FIRST, SECOND] = ['f'.repeat(32), 's'.repeat(32)];
const ring = (...keys: string[]) => ({
  secrets: deriveStoredSecretsKey(ROOT, keys),
  turns: deriveStoredResponsesKey(ROOT, keys),
});
const ROWS = 450;
const placeOf = (n: number) => ({ orgId: 'acme', rowId: `crd_${String(n).padStart(4, '0')}`, version: 1 });

async function stored(t: TestContext) {
  const { database, close } = await openTestPlatform(systemClock);
  t.after(close);
  const { secrets } = ring();
  await database.transaction(async (writer) => {
    await insertOrg(writer, { id: 'acme', name: 'Acme', created_at: 1 });
    for (let n = 0; n < ROWS; n++)
      await insertProviderCredential(writer, {
        id: placeOf(n).rowId,
        org_id: 'acme',
        provider_id: 'p',
        name: `k${n}`,
        weight: 1,
        origin: 'https://a.example',
        last4: '',
        sealed: encryptSecret(`secret ${n}`, placeOf(n), secrets),
        version: 1,
        tested_at: null,
        test_json: null,
        created_at: 1,
        updated_at: 1,
        updated_by: 'test',
      });
  });
  return database;
}

const texts = async (database: Database) =>
  (
    await database.read.selectFrom('provider_credentials').select(['id', 'sealed']).orderBy('id').execute()
  ).map(({ sealed }) => sealed);

test('after a rewrap, every secret is encrypted with the new key only, and a second rewrap changes nothing', async (t) => {
  const database = await stored(t);
  const done = await rewrapStoredSecrets(database, ring(FIRST));
  assert.equal(done.find(({ table }) => table === 'provider_credentials')?.rewrapped, ROWS);
  const { previousKeys: _, ...alone } = ring(FIRST).secrets;
  for (const [n, ciphertext] of (await texts(database)).entries())
    assert.equal(decryptSecret(ciphertext, placeOf(n), alone), `secret ${n}`);
  const again = await rewrapStoredSecrets(
    { read: database.read, transaction: () => assert.fail('a transaction would delay other writes') },
    ring(FIRST),
  );
  assert.ok(again.every(({ rewrapped, unreadable }) => rewrapped + unreadable === 0));
});

test('an interrupted rewrap leaves every secret readable, and the next one continues', async (t) => {
  const database = await stored(t);
  let batches = 0;
  const dying: Pick<Database, 'read' | 'transaction'> = {
    read: database.read,
    transaction: (work) =>
      database.transaction(async (writer) => {
        const outcome = await work(writer);
        batches += 1;
        // In the second batch of credentials: its transaction does not commit.
        if (batches === 2) throw new Error('killed');
        return outcome;
      }),
  };
  await assert.rejects(rewrapStoredSecrets(dying, ring(SECOND)), /killed/);
  const { secrets } = ring(SECOND);
  const between = await texts(database);
  for (const [n, ciphertext] of between.entries())
    assert.equal(decryptSecret(ciphertext, placeOf(n), secrets), `secret ${n}`);
  const under = between.filter((ciphertext) => ciphertext.startsWith(`fs1.${secrets.id}.`)).length;
  assert.ok(under > 0 && under < ROWS, `${under} of ${ROWS}`);
  const done = await rewrapStoredSecrets(database, ring(SECOND));
  assert.equal(done.find(({ table }) => table === 'provider_credentials')?.rewrapped, ROWS - under);
});

test('a secret that no key can decrypt is listed and kept, and does not stop the others', async (t) => {
  const database = await stored(t);
  await database.transaction((writer) =>
    updateProviderCredential(writer, placeOf(3).rowId, { sealed: 'fs1.deadbeef.x.y' }),
  );
  const done = await rewrapStoredSecrets(database, ring(FIRST));
  const credentials = done.find(({ table }) => table === 'provider_credentials');
  assert.deepEqual([credentials?.rewrapped, credentials?.unreadable], [ROWS - 1, 1]);
  const { orgId, rowId } = placeOf(3);
  assert.deepEqual(credentials?.unreadableSecrets, [{ orgId, rowId, name: 'p/k3' }]);
  assert.equal((await texts(database))[3], 'fs1.deadbeef.x.y');
});

test('a start without a key that stored secrets need fails with its id and the remedy', async (t) => {
  const database = await stored(t);
  await rewrapStoredSecrets(database, ring(FIRST));
  const check = (...keys: string[]) =>
    database.transaction((writer) => requireKnownEncryptionKeys(writer, ring(...keys).secrets));
  await check(FIRST);
  await check(SECOND, FIRST);
  for (const keys of [[], [SECOND]])
    await assert.rejects(check(...keys), {
      name: 'FatalError',
      message: new RegExp(
        `FLOE_ENCRYPTION_KEYS does not contain all .*missing key ids: ${ring(FIRST).secrets.id}; .* "floe secrets rewrap"`,
      ),
    });
});
