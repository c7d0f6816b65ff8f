import type { BilledUnit } from '@floe/contract/billed-units';
import type { ModelInfo, ModelPrice } from '@pydantic/genai-prices';
import type { PriceCatalog, PriceRates, TieredRate } from './prices.ts';
import { getCatalogServiceTierPriceFactors } from './service-tier-price-factors.ts';

/** Date of the prices in the catalog version that package.json pins. */
const CATALOG_DATE = '2026-09-23';

/** A price catalog without prices. */
export const EMPTY_PRICE_CATALOG: PriceCatalog = { priceOf: () => null };

/**
 * Loads the price catalog that Floe contains (@pydantic/genai-prices). Call it only when prices are needed,
 * because reading half a megabyte takes about 50 ms. Nothing is downloaded. New prices come with a new Floe
 * version or from the configuration.
 */
export async function loadPriceCatalog(): Promise<PriceCatalog> {
  const { calcPrice } = await import('@pydantic/genai-prices');
  return {
    priceOf(book, model) {
      const found = calcPrice({}, model, { providerId: book });
      const entry = found?.model;
      // Models that are priced only by pages or messages have no billed unit.
      if (!entry || variantsOf(entry).some(({ prices }) => parseRates(prices) === undefined)) return null;
      const tiers = getCatalogServiceTierPriceFactors(book, entry.id);
      return { source: 'catalog', date: CATALOG_DATE, tiers, ratesAt: (atMs) => variantRatesAt(entry, atMs) };
    },
  };
}

type PriceVariant = Extract<ModelInfo['prices'], readonly unknown[]>[number];

function variantsOf({ prices }: ModelInfo): readonly PriceVariant[] {
  return isVariants(prices) ? prices : [{ prices }];
}

function isVariants(prices: ModelInfo['prices']): prices is PriceVariant[] {
  return Array.isArray(prices);
}

/** Returns the last price of the catalog entry that is valid at this time. */
function variantRatesAt(entry: ModelInfo, atMs: number): PriceRates {
  const variants = variantsOf(entry);
  const chosen = variants.findLast(({ constraint }) => isInForce(constraint, atMs)) ?? variants[0];
  const rates = chosen && parseRates(chosen.prices);
  if (!rates) throw new Error('unreachable: catalog entries are validated before their prices are read');
  return rates;
}

function isInForce(constraint: PriceVariant['constraint'], atMs: number): boolean {
  if (constraint === undefined) return true;
  const iso = new Date(atMs).toISOString();
  if (constraint.type === 'start_date') return iso.slice(0, 10) >= constraint.start_date;
  const time = iso.slice(11, 19);
  const [from, to] = [constraint.start_time.slice(0, 8), constraint.end_time.slice(0, 8)];
  // The period may include midnight.
  return from <= to ? time >= from && time < to : time >= from || time < to;
}

/**
 * The unit names of the catalog, the corresponding billed units, and the number of millions of billed units
 * in one unit of the catalog.
 */
const CATALOG_UNITS: readonly (readonly [theirs: string, ours: BilledUnit, millions: number])[] = [
  ['cache_read_mtok', 'cached', 1],
  ['cache_write_mtok', 'cache_write', 1],
  ['cache_write_1h_mtok', 'cache_write_1h', 1],
  ['input_audio_mtok', 'input_audio', 1],
  ['input_image_mtok', 'input_image', 1],
  ['input_video_mtok', 'input_video', 1],
  ['cache_audio_read_mtok', 'cached_audio', 1],
  ['cache_image_read_mtok', 'cached_image', 1],
  ['output_audio_mtok', 'output_audio', 1],
  ['output_image_mtok', 'output_image', 1],
  ['web_searches_kcount', 'web_search', 0.001],
  ['storage_searches_kcount', 'file_search', 0.001],
  ['audio_hours', 'audio_second', 0.0036],
];

function parseRates(prices: ModelPrice): PriceRates | undefined {
  const input = parseRate(prices['input_mtok']);
  const units = parseUnitRates(prices);
  if (!input && units.audio_second === undefined) return undefined;
  return {
    // Embeddings have input only.
    units: { ...units, input: input ?? ZERO_RATE, output: parseRate(prices['output_mtok']) ?? ZERO_RATE },
    perThousandRequests: parseRate(prices['requests_kcount'])?.base,
  };
}

const ZERO_RATE: TieredRate = { base: 0, tiers: [] };

function parseUnitRates(prices: ModelPrice): { [Unit in BilledUnit]?: TieredRate } {
  const units: { [Unit in BilledUnit]?: TieredRate } = {};
  for (const [theirs, ours, millions] of CATALOG_UNITS) {
    const rate = parseRate(prices[theirs]);
    if (rate)
      units[ours] = {
        base: rate.base / millions,
        tiers: rate.tiers.map((tier) => ({ ...tier, usd: tier.usd / millions })),
      };
  }
  return units;
}

function parseRate(price: ModelPrice[string]): TieredRate | undefined {
  if (price === undefined) return undefined;
  if (typeof price === 'number') return { base: price, tiers: [] };
  const tiers = price.tiers.map(({ start, price: usd }) => ({ above: start, usd }));
  return { base: price.base, tiers: tiers.sort((one, other) => one.above - other.above) };
}
