import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describePriceSource, formatModelPrice } from './model-price.ts';

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
  assert.equal(formatModelPrice(undefined), 'No price');
  assert.equal(formatModelPrice(null), '–');
  assert.equal(formatModelPrice(0), 'Free');
  assert.equal(formatModelPrice(1.25), '$1.25');
});

test('the source of a price names the catalog date', () => {
  assert.equal(describePriceSource({ prices: null }), 'No price');
  assert.equal(describePriceSource({ prices: { ...PRICES, tiers: [] } }), 'Catalog, 2026-11-01');
  assert.equal(
    describePriceSource({ prices: { ...PRICES, tiers: [], source: 'override', date: null } }),
    'Set by the organization',
  );
});
