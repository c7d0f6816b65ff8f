import { compilePatterns } from '../core/pattern.ts';
import { NO_PRICES } from './price-catalog.ts';
import { createUnmeteredPrice, type Price, type PriceBook, type TieredRate } from './prices.ts';

/** USD per million tokens, as the operator writes it. */
export interface PriceOverride {
  readonly input: number;
  readonly output: number;
  readonly cache_read?: number | undefined;
  readonly cache_write?: number | undefined;
  /** USD per million of other units, by name. */
  readonly units?: Readonly<Record<string, number>> | undefined;
  /** Factors on the rates of tokens, by service tier. */
  readonly tiers?: Readonly<Record<string, number>> | undefined;
}

export interface PricingSettings {
  readonly billing: 'metered' | 'free' | 'seat';
  readonly multiplier: number;
  /** Model pattern to price; the first that matches counts. */
  readonly overrides: Readonly<Record<string, PriceOverride>>;
  /** Where the rest comes from, and the provider's name there; null when no catalog knows it. */
  readonly book: PriceBook;
  readonly bookName: string | null;
}

/** Ids met before are looked up once; callers may invent ids where an allowlist is open. */
const MAX_CACHED_PRICES = 2_000;

/** What each model of a provider costs; null where nobody knows, which never means free. */
export function createPriceLookup(settings: PricingSettings): (model: string) => Price | null {
  const { billing, multiplier, book, bookName } = settings;
  if (billing !== 'metered') {
    const price = createUnmeteredPrice(billing);
    return () => price;
  }
  const overrides = Object.entries(settings.overrides).map(([pattern, price]) => ({
    matches: compilePatterns([pattern]),
    price: overridePrice(price),
  }));
  const known = new Map<string, Price | null>();
  return (model) => {
    const remembered = known.get(model);
    if (remembered !== undefined) return remembered;
    const own = overrides.find(({ matches }) => matches(model))?.price;
    const listed = own || bookName === null ? null : book.priceOf(bookName, model);
    const price = own ?? (listed && { ...listed, multiplier });
    if (known.size >= MAX_CACHED_PRICES) known.clear();
    known.set(model, price);
    return price;
  };
}

/** As `createPriceLookup`, for a sheet's name in the catalog; a price stands under the id asked for, else the upstream's name of it. */
export function createModelPriceLookup(
  bookName: string | undefined,
  pricing: Omit<PricingSettings, 'bookName'> | undefined,
  upstreamModel: (model: string) => string,
): (model: string) => Price | null {
  const { billing = 'metered', multiplier = 1, overrides = {}, book = NO_PRICES } = pricing ?? {};
  const priceOf = createPriceLookup({
    billing,
    multiplier,
    overrides,
    book,
    bookName: bookName === undefined || bookName === 'free' ? null : bookName,
  });
  // What costs nothing by itself may be given a price, to try budgets with.
  const otherwise = bookName === 'free' ? createUnmeteredPrice('free') : null;
  return (model) => priceOf(model) ?? priceOf(upstreamModel(model)) ?? otherwise;
}

function overridePrice(setting: PriceOverride): Price {
  const { input, output, cache_read, cache_write, units = {}, tiers = {} } = setting;
  const flat = (usd: number): TieredRate => ({ base: usd, tiers: [] });
  const rates = {
    ...Object.fromEntries(Object.entries(units).map(([unit, usd]) => [unit, flat(usd)])),
    input: flat(input),
    output: flat(output),
    cached: cache_read === undefined ? undefined : flat(cache_read),
    cache_write: cache_write === undefined ? undefined : flat(cache_write),
    // Part of the output, at its rate.
    reasoning: undefined,
  };
  return { source: 'override', date: null, multiplier: 1, tiers, ratesAt: () => ({ units: rates }) };
}
