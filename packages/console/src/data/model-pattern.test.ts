import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matchesModelPattern } from './model-pattern.ts';

test('a star in a pattern matches any characters, and all other characters match themselves', () => {
  assert.equal(matchesModelPattern('gpt-5*', 'gpt-5-mini'), true);
  assert.equal(matchesModelPattern('*', 'any/thing'), true);
  assert.equal(matchesModelPattern('gpt.5', 'gpt-5'), false);
  assert.equal(matchesModelPattern('gpt-5', 'gpt-5-mini'), false);
  assert.equal(matchesModelPattern('a(b', 'a(b'), true);
});
