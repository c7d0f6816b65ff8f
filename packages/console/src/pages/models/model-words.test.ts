import assert from 'node:assert/strict';
import { test } from 'node:test';
import { priceSource, priceText } from './model-words.ts';

const PRICES = {
  input_usd: 1,
  output_usd: 2,
  cache_read_usd: null,
  cache_write_usd: null,
  tiers: [],
  source: 'catalog',
  date: '2026-11-01',
} as const;

test('a missing price is shown as missing, never as free', () => {
  assert.equal(priceText(undefined), 'no price');
  assert.equal(priceText(null), '–');
  assert.equal(priceText(0), 'free');
  assert.equal(priceText(1.25), '$1.25');
});

test('the source of a price names the catalog date', () => {
  assert.equal(priceSource({ prices: null }), 'no price');
  assert.equal(priceSource({ prices: { ...PRICES, tiers: [] } }), 'catalog, 2026-11-01');
  assert.equal(
    priceSource({ prices: { ...PRICES, tiers: [], source: 'override', date: null } }),
    'set by the organization',
  );
});
