import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readMessagesUsage } from './usage.ts';

const TOTALS = {
  input_tokens: 5,
  output_tokens: 7,
  cache_read_input_tokens: 11,
  cache_creation_input_tokens: 13,
  cache_creation: { ephemeral_1h_input_tokens: 10 },
};

test('a compaction is counted, and cache tokens that only the totals report are not lost', () => {
  const compaction = { type: 'compaction', input_tokens: 100, output_tokens: 50 };
  const message = { type: 'message', input_tokens: 5, output_tokens: 7 };
  assert.deepEqual(readMessagesUsage({ ...TOTALS, iterations: [compaction, message] })?.units, {
    input: 105 + 11 + 13,
    cached: 11,
    cache_write: 13,
    cache_write_1h: 10,
    output: 57,
  });
});

test('cache tokens of a compaction and of the message are added', () => {
  const cached = { cache_read_input_tokens: 2, cache_creation_input_tokens: 3 };
  const compaction = { type: 'compaction', input_tokens: 100, output_tokens: 50, ...cached };
  const message = { ...TOTALS, type: 'message' };
  const units = readMessagesUsage({ ...TOTALS, iterations: [compaction, message] })?.units;
  assert.deepEqual([units?.input, units?.cached, units?.cache_write], [105 + 13 + 16, 13, 16]);
});
