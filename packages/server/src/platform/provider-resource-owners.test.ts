import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '@floe/testkit/fake-clock';
import { EMPTY_DATABASE } from '../store/test/empty-database.ts';
import { openTestDatabase } from '../store/test/postgres-database.ts';
import { createProviderResourceOwnerStore } from './provider-resource-owners.ts';

test('an owner at a second provider that another process recorded is found in a fresh read', async (t) => {
  const database = await openTestDatabase(t);
  const clock = new FakeClock();
  const one = createProviderResourceOwnerStore(database, clock);
  const two = createProviderResourceOwnerStore(database, clock);
  const owner = { orgId: 'acme', id: 'file-1', credential: 'c', keyId: 'key_1', kind: 'files' };
  await one.record([{ ...owner, provider: 'a' }]);
  const providers = async (isFresh?: boolean) =>
    (await one.find('acme', ['file-1'], isFresh)).get('file-1')?.map(({ provider }) => provider);
  assert.deepEqual(await providers(), ['a']);
  await two.record([{ ...owner, provider: 'b' }]);
  assert.deepEqual(await providers(), ['a'], 'cached');
  assert.deepEqual(await providers(true), ['a', 'b']);
  const recorded = one.record([{ ...owner, provider: 'c' }]);
  assert.deepEqual(await providers(), ['a', 'b', 'c'], 'known during the commit');
  await recorded;
});

test('an id of a provider that a database cannot store has no owner', async () => {
  const fail = () => assert.fail('a database would reject the id');
  const store = createProviderResourceOwnerStore({ ...EMPTY_DATABASE, transaction: fail }, new FakeClock());
  const owner = { orgId: 'acme', provider: 'a', credential: 'main', keyId: 'key_1', kind: 'files' };
  for (const id of ['x'.repeat(513), 'file-\0', 'file-\ud800']) {
    await store.record([{ ...owner, id }]);
    assert.equal((await store.find('acme', [id])).size, 0);
  }
});
