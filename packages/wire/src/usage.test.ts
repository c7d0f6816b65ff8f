import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { mergeUsage, readChatUsage } from './usage.ts';

describe('readChatUsage', () => {
  const cases: readonly [string, unknown, unknown][] = [
    [
      'the standard shape',
      {
        prompt_tokens: 20,
        completion_tokens: 30,
        total_tokens: 50,
        prompt_tokens_details: { cached_tokens: 5, audio_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: 12 },
      },
      { input: 20, cached: 5, output: 30, reasoning: 12 },
    ],
    [
      'cache hits and misses side by side',
      { prompt_tokens: 20, completion_tokens: 3, prompt_cache_hit_tokens: 15, prompt_cache_miss_tokens: 5 },
      { input: 20, cached: 15, output: 3 },
    ],
    ['an older name of cached tokens', { prompt_tokens: 9, num_cached_tokens: 4 }, { input: 9, cached: 4 }],
    [
      'a misspelt details member',
      { prompt_tokens: 9, prompt_token_details: { cached_tokens: 4 } },
      { input: 9, cached: 4 },
    ],
    ['cached tokens at the top', { prompt_tokens: 9, cached_tokens: 4 }, { input: 9, cached: 4 }],
    [
      'cache writes',
      { prompt_tokens: 9, prompt_tokens_details: { cache_write_tokens: 3 } },
      { input: 9, cacheWrite: 3 },
    ],
    [
      'reasoning outside of the completion, told by the total',
      {
        prompt_tokens: 12,
        completion_tokens: 300,
        total_tokens: 540,
        completion_tokens_details: { reasoning_tokens: 228 },
      },
      { input: 12, output: 528, reasoning: 228 },
    ],
    [
      'reasoning outside of the completion, told by its size',
      { prompt_tokens: 12, completion_tokens: 1, completion_tokens_details: { reasoning_tokens: 228 } },
      { input: 12, output: 229, reasoning: 228 },
    ],
    ['more cached than prompt tokens', { prompt_tokens: 9, cached_tokens: 12 }, { input: 9, cached: 9 }],
    [
      'null details, text, fractions and negative counts',
      {
        prompt_tokens: 9,
        completion_tokens: '3',
        total_tokens: -1,
        prompt_tokens_details: null,
        cached_tokens: 1.5,
        reasoning_tokens: -2,
      },
      { input: 9 },
    ],
    ['nothing it knows', { total_time: 0.3 }, undefined],
    ['no object', null, undefined],
  ];
  for (const [name, value, expected] of cases)
    test(`reads ${name}`, () => assert.deepEqual(readChatUsage(value), expected));
});

test('the later report wins field by field and leaves what it does not say', () => {
  assert.deepEqual(mergeUsage({ input: 5, cached: 2, output: 1 }, { output: 9 }), {
    input: 5,
    cached: 2,
    output: 9,
  });
  assert.deepEqual(mergeUsage(undefined, { output: 9 }), { output: 9 });
  assert.deepEqual(mergeUsage({ input: 5 }, undefined), { input: 5 });
  assert.equal(mergeUsage(undefined, undefined), undefined);
});
