import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ProviderSchema } from './providers.ts';

test('the multiplier for catalog prices is between 0 and 1,000', () => {
  const parse = (price_multiplier: number) =>
    ProviderSchema.safeParse({ id: 'groq', kind: 'groq', api_key: 'gsk-a', price_multiplier }).success;
  for (const multiplier of [0, 0.9, 1_000]) assert.equal(parse(multiplier), true, String(multiplier));
  for (const multiplier of [-0.1, 1_000.5, 1_001, Number.NaN])
    assert.equal(parse(multiplier), false, String(multiplier));
});
