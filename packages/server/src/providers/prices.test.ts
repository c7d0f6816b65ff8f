import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BilledUnitCounts } from '@floe/wire/billed-unit-counts';
import type { Usage } from '@floe/wire/usage';
import { calcPrice, findProvider } from '@pydantic/genai-prices';
import { EMPTY_PRICE_CATALOG, loadPriceCatalog } from './price-catalog.ts';
import { addCosts, computeMaxCostNanoUsd, computeUsageCost, type Price } from './prices.ts';

function cost(price: Price, usage: Usage) {
  const { nanoUsd, unpriced } = computeUsageCost(price, usage, NOON);
  return { nanoUsd, unpriced };
}
const costNanoUsd = (...args: Parameters<typeof computeUsageCost>) => computeUsageCost(...args).nanoUsd;

import { createPriceLookup } from './price-lookup.ts';
import { findProviderDefinition, PROVIDER_DEFINITIONS } from './provider-definitions.ts';

const NOON = Date.parse('2026-11-21T12:00:00Z');

test('every text model in the catalog has the cost that the catalog computes, including cache and long contexts', async (t) => {
  const book = await loadPriceCatalog();
  const used: readonly BilledUnitCounts[] = [
    { input: 1_000, output: 100 },
    { input: 150_000, cached: 40_000, cache_write: 10_000, output: 2_000 },
    { input: 450_000, cached: 440_000, output: 1 },
    {
      input: 400_000,
      cache_write: 300_000,
      output: 500,
      cache_write_1h: 100_000,
      web_search: 7,
      input_audio: 30_000,
      output_audio: 200,
    },
  ];
  const times = [NOON, Date.parse('2026-11-21T20:00:00Z'), Date.parse('2025-01-01T03:00:00Z')];
  let compared = 0;
  for (const name of new Set(PROVIDER_DEFINITIONS.map(({ priceCatalogName }) => priceCatalogName ?? '')))
    for (const { id } of findProvider({ providerId: name })?.models ?? []) {
      const listed = book.priceOf(name, id);
      if (listed === null) continue;
      for (const units of used)
        for (const at of times) {
          const counts = {
            input_tokens: units.input ?? 0,
            cache_read_tokens: units.cached ?? 0,
            cache_write_tokens: units.cache_write ?? 0,
            output_tokens: units.output ?? 0,
            ...theirUnits(listed, units, at),
          };
          const theirs = calcPrice(counts, id, { providerId: name, timestamp: new Date(at) });
          const nano = costNanoUsd({ ...listed, multiplier: 1 }, { units }, at);
          const wanted = (theirs?.total_price ?? 0) * 1e9;
          assert.ok(Math.abs(nano - wanted) <= 1, `${name}/${id}: ${nano} nano-USD, not ${wanted}`);
          compared += 1;
        }
    }
  assert.ok(compared > 500, `${compared}`);
  t.diagnostic(`${compared} costs compared`);
});

/** Units under the catalog's names, those that it has a price for: it refuses to work out others. */
const THEIR_UNITS = [
  ['cache_write_1h', 'cache_write_1h_tokens'],
  ['web_search', 'web_searches'],
  ['input_audio', 'input_audio_tokens'],
  ['output_audio', 'output_audio_tokens'],
] as const;

function theirUnits(price: Pick<Price, 'ratesAt'>, units: BilledUnitCounts, at: number) {
  const counts: Record<string, number> = {};
  for (const [ours, theirs] of THEIR_UNITS)
    if (price.ratesAt(at).units[ours]) counts[theirs] = units[ours] ?? 0;
  return counts;
}

test('one-hour cache writes, web searches and service tiers have their prices', async () => {
  const book = await loadPriceCatalog();
  const priceOf = (catalogName: string, model: string) => {
    const settings = { billing: 'metered', multiplier: 1, overrides: {}, book, catalogName } as const;
    return createPriceLookup(settings)(model) ?? assert.fail(model);
  };
  const million = 1_000_000;
  const sonnet = priceOf('anthropic', 'claude-sonnet-4-5');
  const hour = { input: million, cache_write: million, cache_write_1h: million, web_search: 100 };
  assert.deepEqual(cost(sonnet, { units: hour }), { nanoUsd: 13e9, unpriced: [] });
  const five = priceOf('openai', 'gpt-5.5');
  const plain = computeUsageCost(five, { units: { input: 1000, output: 1000 } }, NOON).nanoUsd;
  const usage = { units: { input: 1000, output: 1000, web_search: 1 }, tier: 'priority' };
  assert.deepEqual(cost(five, usage), { nanoUsd: plain * 2.5 + 10_000_000, unpriced: [] });
  for (const tier of ['flex', 'priority', 'batch', 'any-other'])
    assert.deepEqual(
      computeUsageCost(priceOf('openai', 'gpt-5'), { units: { input: 1 }, tier }, NOON).unpriced,
      [`tier:${tier}`],
      'the catalog does not say: known to be incomplete',
    );
  assert.deepEqual(
    computeUsageCost(priceOf('openai', 'gpt-5'), { units: { input: 1 }, tier: 'standard' }, NOON).unpriced,
    [],
  );
});

test('units without a price are reported, whatever else has one', () => {
  const overrides = { m: { input: 1, output: 2, units: { image: 40_000 }, tiers: { flex: 0.5 } } };
  const settings = {
    billing: 'metered',
    multiplier: 1,
    overrides,
    book: EMPTY_PRICE_CATALOG,
    catalogName: null,
  } as const;
  const price = createPriceLookup(settings)('m') ?? assert.fail();
  assert.deepEqual(cost(price, { units: { image: 2 } }), { nanoUsd: 80_000_000, unpriced: [] });
  assert.deepEqual(cost(price, { units: { input: 1000 }, tier: 'flex' }), { nanoUsd: 500_000, unpriced: [] });
  const units = { input: 1000, cache_write: 600, cache_write_1h: 600, web_search: 1 };
  const mixed = { units, tier: 'scale' };
  assert.deepEqual(cost(price, mixed), {
    nanoUsd: 1_000_000,
    unpriced: ['cache_write_1h', 'web_search', 'tier:scale'],
  });
  const free = createPriceLookup({ ...settings, billing: 'free' })('m') ?? assert.fail();
  assert.deepEqual(cost(free, mixed), { nanoUsd: 0, unpriced: [] });
});

test("the operator's price takes precedence over the catalog, and a multiplier applies only to the catalog", async () => {
  const book = await loadPriceCatalog();
  const overrides = { 'gpt-4*': { input: 3, output: 7, cache_read: 1 } };
  const pricing = { billing: 'metered', multiplier: 0.5, overrides, book, catalogName: 'openai' } as const;
  const priceOf = createPriceLookup(pricing);
  const own = priceOf('gpt-4o') ?? assert.fail();
  assert.equal(own.source, 'override');
  assert.equal(
    costNanoUsd(own, { units: { input: 1000, cached: 400, output: 10 } }, NOON),
    600 * 3000 + 400 * 1000 + 70_000,
  );
  const listed = priceOf('gpt-5') ?? assert.fail();
  assert.equal(listed.source, 'catalog');
  assert.match(listed.date ?? '', /^\d{4}-\d\d-\d\d$/);
  assert.equal(costNanoUsd(listed, { units: { input: 1_000_000 } }, NOON), (1.25 * 1e9) / 2);
  assert.equal(priceOf('no-such-model'), null, 'unknown is not free');
});

test('a model at several clouds has a price under the name at each of them', async () => {
  const book = await loadPriceCatalog();
  const names: Readonly<Record<string, readonly string[]>> = {
    bedrock: [
      'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
      'global.anthropic.claude-opus-4-5-20251101-v1:0',
      'amazon.nova-pro-v1:0',
      'arn:aws:bedrock:us-east-1::foundation-model/amazon.nova-pro-v1:0',
      'openai.gpt-oss-120b-1:0',
    ],
    vertex: ['gemini-2.5-flash', 'claude-sonnet-4-5@20250929', 'claude-3-5-sonnet-v2@20241022'],
    cohere: ['command-a-03-2025', 'command-r7b-12-2024', 'embed-v4.0'],
  };
  for (const [kind, models] of Object.entries(names)) {
    const { priceCatalogName } = findProviderDefinition(kind) ?? assert.fail(kind);
    for (const model of models) {
      const listed =
        book.priceOf(priceCatalogName ?? assert.fail(kind), model) ?? assert.fail(`${kind}: ${model}`);
      assert.ok(costNanoUsd({ ...listed, multiplier: 1 }, { units: { input: 1_000 } }, NOON) > 0, model);
    }
  }
});

test('free and seat cost nothing for any model', () => {
  for (const billing of ['free', 'seat'] as const) {
    const priceOf = createPriceLookup({
      billing,
      multiplier: 1,
      overrides: {},
      book: EMPTY_PRICE_CATALOG,
      catalogName: null,
    });
    const price = priceOf('anything') ?? assert.fail();
    assert.equal(price.source, billing);
    assert.equal(costNanoUsd(price, { units: { input: 1e6, output: 1e6 } }, NOON), 0);
  }
});

test('input that may be written to the cache is reserved at the higher of the two prices', () => {
  const overrides = { '*': { input: 3, output: 15, cache_write: 3.75 } };
  const priceOf = createPriceLookup({
    billing: 'metered',
    multiplier: 1,
    overrides,
    book: EMPTY_PRICE_CATALOG,
    catalogName: null,
  });
  const price = priceOf('m') ?? assert.fail();
  assert.equal(computeMaxCostNanoUsd(price, { input: 1000, output: 100 }, NOON), 1000 * 3750 + 100 * 15_000);
});

test('an exchange costs at most one million USD, and a higher cost is incomplete', () => {
  const priceOf = createPriceLookup({
    billing: 'metered',
    multiplier: 1,
    overrides: { '*': { input: 1_000_000, output: 1_000_000, units: { image: 1e12 } } },
    book: EMPTY_PRICE_CATALOG,
    catalogName: null,
  });
  const price = priceOf('m') ?? assert.fail();
  const most = 1e15;
  const cases: readonly [BilledUnitCounts, number, boolean][] = [
    [{ input: 1e6 }, most, true],
    [{ input: 1e6 + 1 }, most, false],
    [{ output: 1e300 }, most, false],
    [{ input: Number.POSITIVE_INFINITY, cached: Number.POSITIVE_INFINITY }, most, false],
    [{ image: 5e11 }, most, false],
  ];
  for (const [units, nanoUsd, isComplete] of cases) {
    const computed = computeUsageCost(price, { units }, NOON);
    assert.deepEqual([computed.nanoUsd, computed.isComplete], [nanoUsd, isComplete], JSON.stringify(units));
  }
  assert.equal(computeMaxCostNanoUsd(price, { input: 1, output: 1e26 }, NOON), most);
  assert.equal(addCosts(most, 1), most);
});
