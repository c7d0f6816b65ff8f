import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EMPTY_PRICE_CATALOG } from '../../../../server/src/providers/price-catalog.ts';
import { createPriceLookup } from '../../../../server/src/providers/price-lookup.ts';
import {
  canUseCatalogPrice,
  type PriceOverrides,
  removePriceOverride,
  setPriceOverride,
} from './price-overrides.ts';

const NEW_PRICE = { input: 12, output: 24 };

/** The price that the server uses for a model. */
function findPrice(overrides: PriceOverrides, model: string) {
  return createPriceLookup({
    billing: 'metered',
    multiplier: 1,
    overrides,
    book: EMPTY_PRICE_CATALOG,
    catalogName: null,
  })(model);
}

const findInput = (overrides: PriceOverrides, model: string) =>
  findPrice(overrides, model)?.ratesAt(0).units['input']?.base;

test('a saved price applies to its model and to no other, whatever patterns there are', () => {
  const pattern = { input: 1, output: 2 };
  for (const overrides of [
    {},
    { 'gpt-5': { input: 10, output: 20 }, '*': pattern },
    { 'gpt-*': pattern },
    { '*-mini': { input: 3, output: 4 }, '*': pattern, 'gpt-5': { input: 10, output: 20 } },
  ]) {
    const saved = setPriceOverride(overrides, 'gpt-5', NEW_PRICE);
    assert.equal(findInput(saved, 'gpt-5'), 12);
    for (const other of ['gpt-5-mini', 'gpt-4', 'o3'])
      assert.equal(findInput(saved, other), findInput(overrides, other));
  }
});

test('a saved price keeps the units and tiers of the override that applied before', () => {
  const units = { web_search: 10_000 };
  const tiers = { priority: 2 };
  const pattern = { input: 1, output: 2, units, tiers };
  for (const overrides of [
    { 'gpt-5': pattern },
    { 'gpt-*': pattern, '*': { input: 5, output: 6 } },
    { 'gpt-*': pattern, 'gpt-5': { input: 5, output: 6 } },
  ])
    assert.deepEqual(setPriceOverride(overrides, 'gpt-5', NEW_PRICE)['gpt-5'], {
      ...NEW_PRICE,
      units,
      tiers,
    });
});

test('the catalog price is only offered if it applies after the override is removed', () => {
  const price = { input: 1, output: 2 };
  for (const overrides of [
    { 'gpt-5': price },
    { 'gpt-5': price, 'o*': price },
    { 'gpt-*': price },
    { '*': price, 'gpt-5': price },
    {},
  ]) {
    const isOverridden = findPrice(overrides, 'gpt-5') !== null;
    const isRemoved = findPrice(removePriceOverride(overrides, 'gpt-5'), 'gpt-5') === null;
    assert.equal(
      canUseCatalogPrice(overrides, 'gpt-5'),
      isOverridden && isRemoved,
      JSON.stringify(overrides),
    );
  }
});
