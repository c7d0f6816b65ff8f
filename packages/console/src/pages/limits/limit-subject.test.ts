import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_LIMIT_SUBJECT_FORM, findKeyIdByName, hasSavedSubject } from './limit-subject.ts';

test('a key name resolves to the active key, not to an earlier key with the same name', () => {
  const keys = [
    { id: 'key_old', name: 'ci', status: 'revoked' },
    { id: 'key_now', name: 'ci', status: 'active' },
    { id: 'key_gone', name: 'cd', status: 'expired' },
  ] as const;
  assert.deepEqual(
    ['ci', 'cd', 'none', null].map((name) => findKeyIdByName(keys, name)),
    ['key_now', 'key_gone', undefined, undefined],
  );
});

test('a form with another subject or model than the saved limit is recognized', () => {
  const named = { team: null, key: null, owner: null, end_user: null, model: null };
  const saved = { ...named, scope: 'org', per: null, on_store_error: 'local' } as const;
  assert.equal(hasSavedSubject(saved, DEFAULT_LIMIT_SUBJECT_FORM), true);
  for (const changes of [{ subject: 'scope:key', subjectName: 'ci' }, { model: 'openai/*' }] as const)
    assert.equal(hasSavedSubject(saved, { ...DEFAULT_LIMIT_SUBJECT_FORM, ...changes }), false);
});
