import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeAllowlist } from './provider-allowlist.ts';

const MORE = ' The allowlist can match more models than this list contains.';

test('an allowlist that is narrowed shows the models that remain', () => {
  const listed = { listed: ['gpt-5', 'gpt-5-mini', 'o3'], isComplete: true };
  assert.equal(
    describeAllowlist(['gpt-*'], ['*'], listed),
    'Matches 2 of the 3 currently allowed models: gpt-5, gpt-5-mini.',
  );
  assert.equal(describeAllowlist(['x'], ['*'], listed), 'Matches 0 of the 3 currently allowed models.');
});

test('an allowlist that is widened is not shown as if it matched only the models that are allowed now', () => {
  const listed = { listed: ['gpt-5'], isComplete: true };
  const matches = 'Matches 1 of the 1 currently allowed models: gpt-5.';
  assert.equal(describeAllowlist(['gpt-5'], ['gpt-5'], listed), matches);
  for (const typed of [['gpt-*'], ['*'], [], ['gpt-5', 'o3']])
    assert.equal(describeAllowlist(typed, ['gpt-5'], listed), matches + MORE);
  assert.equal(describeAllowlist(['*'], ['*'], { ...listed, isComplete: false }), matches + MORE);
});
