import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '@floe/testkit/fake-clock';
import { EMPTY_DATABASE } from '../store/test/empty-database.ts';
import { createProviderResourceOwnerStore } from './provider-resource-owners.ts';

test('an id of a provider that a database cannot store has no owner', async () => {
  const fail = () => assert.fail('a database would reject the id');
  const store = createProviderResourceOwnerStore({ ...EMPTY_DATABASE, transaction: fail }, new FakeClock());
  const owner = { orgId: 'acme', provider: 'a', credential: 'main', keyId: 'key_1', kind: 'files' };
  for (const id of ['x'.repeat(513), 'file-\0', 'file-\ud800']) {
    await store.record([{ ...owner, id }]);
    assert.equal((await store.find('acme', [id])).size, 0);
  }
});
