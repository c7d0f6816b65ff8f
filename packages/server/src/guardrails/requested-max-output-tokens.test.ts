import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scanJsonObject } from '@floe/wire/json-edits';
import { findRequestedMaxOutputTokens } from './requested-max-output-tokens.ts';

function find(request: object): number | null {
  const body = Buffer.from(JSON.stringify(request));
  return findRequestedMaxOutputTokens({ body, members: scanJsonObject(body) });
}

test('of several output maximums, the largest counts, whichever one the provider applies', () => {
  assert.equal(find({ max_tokens: 10, max_completion_tokens: 9000 }), 9000);
  assert.equal(find({ max_tokens: 9000, max_completion_tokens: 10, max_output_tokens: 1 }), 9000);
  assert.equal(find({ max_tokens: 1.5 }), 2);
  assert.equal(find({ max_tokens: 1e20 }), 10_000_000);
  for (const none of [{}, { max_tokens: 0 }, { max_tokens: -5 }, { max_tokens: '10' }, { max_tokens: null }])
    assert.equal(find(none), null);
});

test('a number that JavaScript cannot represent counts as the longest possible output', () => {
  const body = Buffer.from('{"max_tokens":1e999}');
  assert.equal(findRequestedMaxOutputTokens({ body, members: scanJsonObject(body) }), 10_000_000);
});
