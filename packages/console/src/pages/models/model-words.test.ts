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

test('a price nobody knows is unknown, never free', () => {
  assert.equal(priceText(undefined), 'unknown');
  assert.equal(priceText(null), '–');
  assert.equal(priceText(0), 'free');
  assert.equal(priceText(1.25), '$1.25');
});

test('a price says where it comes from and of which day it is', () => {
  assert.equal(priceSource({ prices: null }), 'nobody knows');
  assert.equal(priceSource({ prices: { ...PRICES, tiers: [] } }), 'catalog, 2026-11-01');
  assert.equal(priceSource({ prices: { ...PRICES, tiers: [], source: 'override', date: null } }), 'this org');
});
