import type { ModelInfo, ModelPrice } from '@pydantic/genai-prices';
import type { PriceBook, Rate, Rates } from './prices.ts';

/** Day of the data in the version that package.json pins. */
const CATALOG_DATE = '2026-09-23';

/** Knows nothing: for tests and for what needs no prices. */
export const NO_PRICES: PriceBook = { priceOf: () => null };

/**
 * The prices that come with Floe (@pydantic/genai-prices). Loaded on demand: half a megabyte of data takes
 * some 50 ms to read. Nothing is fetched; new prices come with a new version, or from the operator.
 */
export async function loadPriceBook(): Promise<PriceBook> {
  const { calcPrice } = await import('@pydantic/genai-prices');
  return {
    priceOf(book, model) {
      const found = calcPrice({}, model, { providerId: book });
      const entry = found?.model;
      // A model without a text price is priced by something else: images, seconds, pages.
      if (!entry || variantsOf(entry).some(({ prices }) => ratesOf(prices) === undefined)) return null;
      return { source: 'catalog', date: CATALOG_DATE, ratesAt: (atMs) => ratesAt(entry, atMs) };
    },
  };
}

type Variant = Extract<ModelInfo['prices'], readonly unknown[]>[number];

function variantsOf({ prices }: ModelInfo): readonly Variant[] {
  return isVariants(prices) ? prices : [{ prices }];
}

function isVariants(prices: ModelInfo['prices']): prices is Variant[] {
  return Array.isArray(prices);
}

/** Of several prices the last that holds at that time, as the catalog lists them. */
function ratesAt(entry: ModelInfo, atMs: number): Rates {
  const variants = variantsOf(entry);
  const chosen = variants.findLast(({ constraint }) => holds(constraint, atMs)) ?? variants[0];
  const rates = chosen && ratesOf(chosen.prices);
  if (!rates) throw new Error('a catalog entry was checked before it was priced');
  return rates;
}

function holds(constraint: Variant['constraint'], atMs: number): boolean {
  if (constraint === undefined) return true;
  const iso = new Date(atMs).toISOString();
  if (constraint.type === 'start_date') return iso.slice(0, 10) >= constraint.start_date;
  const time = iso.slice(11, 19);
  const [from, to] = [constraint.start_time.slice(0, 8), constraint.end_time.slice(0, 8)];
  // A span may go over midnight.
  return from <= to ? time >= from && time < to : time >= from || time < to;
}

function ratesOf(prices: ModelPrice): Rates | undefined {
  const input = rateOf(prices['input_mtok']);
  const output = rateOf(prices['output_mtok']);
  if (!input) return undefined;
  return {
    input,
    // Embeddings have input alone.
    output: output ?? { base: 0, tiers: [] },
    cacheRead: rateOf(prices['cache_read_mtok']),
    cacheWrite: rateOf(prices['cache_write_mtok']),
    perThousandRequests: rateOf(prices['requests_kcount'])?.base,
  };
}

function rateOf(price: ModelPrice[string]): Rate | undefined {
  if (price === undefined) return undefined;
  if (typeof price === 'number') return { base: price, tiers: [] };
  const tiers = price.tiers.map(({ start, price: usd }) => ({ above: start, usd }));
  return { base: price.base, tiers: tiers.sort((one, other) => one.above - other.above) };
}
