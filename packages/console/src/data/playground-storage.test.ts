import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildPromptStorageKey, discardStoredPrompts } from './playground-storage.ts';

/** A storage with one prompt of each of two users in two organizations, and an unrelated entry. */
function createStorage() {
  const keys = new Set(['floe.reloaded']);
  for (const user of ['usr_1', 'usr_11'])
    for (const org of ['acme', 'other']) keys.add(buildPromptStorageKey(user, org));
  const storage = {
    get length() {
      return keys.size;
    },
    key: (index: number) => [...keys][index] ?? null,
    removeItem: (key: string) => void keys.delete(key),
  };
  return { keys, storage };
}

test('a user who signs in does not find the prompts of another user in this tab', () => {
  const { keys, storage } = createStorage();
  assert.equal(keys.size, 5);
  discardStoredPrompts(storage, 'usr_1');
  assert.deepEqual(
    [...keys],
    ['floe.reloaded', buildPromptStorageKey('usr_1', 'acme'), buildPromptStorageKey('usr_1', 'other')],
  );
});

test('signing out deletes all prompts and nothing else', () => {
  const { keys, storage } = createStorage();
  discardStoredPrompts(storage);
  assert.deepEqual([...keys], ['floe.reloaded']);
});
