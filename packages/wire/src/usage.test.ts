import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { mergeUsage, readChatUsage, sumUsage } from './usage.ts';

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
      { input: 9, cache_write: 3 },
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
    test(`reads ${name}`, () => assert.deepEqual(readChatUsage(value)?.units, expected));
});

test('the later report wins unit by unit and leaves what it does not say', () => {
  const earlier = { units: { input: 5, cached: 2, output: 1 }, tier: 'flex' };
  const later = { units: { output: 9, web_search: 2 } };
  const joined = { units: { input: 5, cached: 2, output: 9, web_search: 2 }, tier: 'flex' };
  assert.deepEqual(mergeUsage(earlier, later), joined);
  assert.equal(mergeUsage(undefined, later), later);
  assert.equal(mergeUsage(earlier, undefined), earlier);
  assert.equal(mergeUsage(undefined, undefined), undefined);
});

test('two answers used together what either said, unit by unit', () => {
  const one = { units: { input: 5, cached: 0, web_search: 1 } };
  const other = { units: { input: 7, output: 3, web_search: 2 }, tier: 'priority' };
  const sum = { units: { input: 12, cached: 0, output: 3, web_search: 3 }, tier: 'priority' };
  assert.deepEqual(sumUsage(one, other), sum);
  assert.equal(sumUsage(one, null), one);
  assert.equal(sumUsage(null, null), null);
});
