import { compileModelPatterns } from '../core/model-pattern.ts';
import { EMPTY_PRICE_CATALOG } from './price-catalog.ts';
import { createUnmeteredPrice, type Price, type PriceCatalog, type TieredRate } from './prices.ts';

/** Configured prices, in USD per million tokens. */
export interface PriceOverride {
  readonly input: number;
  readonly output: number;
  readonly cache_read?: number | undefined;
  readonly cache_write?: number | undefined;
  /** USD per million of other billed units, by unit name. */
  readonly units?: Readonly<Record<string, number>> | undefined;
  /** Factors for token prices, by service tier. */
  readonly tiers?: Readonly<Record<string, number>> | undefined;
}

/** The sources of a provider's prices. */
export interface PricingSettings {
  readonly billing: 'metered' | 'free' | 'seat';
  readonly multiplier: number;
  /** Prices by model pattern. The first matching pattern is used. */
  readonly overrides: Readonly<Record<string, PriceOverride>>;
  /**
   * The price catalog for all other models, and the provider's name in it. The name is null if the catalog does
   * not contain the provider.
   */
  readonly book: PriceCatalog;
  readonly catalogName: string | null;
}

/** Maximum number of cached lookups. Callers may send arbitrary model ids if an allowlist is open. */
const MAX_CACHED_PRICES = 2_000;

/**
 * Returns a function that finds the price of a model by its name. If `billing` is `free` or `seat`, every model
 * costs nothing per token. Otherwise, the function returns null if the price is unknown. An unknown price never
 * means that the model is free.
 */
export function createPriceLookup(settings: PricingSettings): (model: string) => Price | null {
  const { billing, multiplier, book, catalogName } = settings;
  if (billing !== 'metered') {
    const price = createUnmeteredPrice(billing);
    return () => price;
  }
  const overrides = Object.entries(settings.overrides).map(([pattern, price]) => ({
    matches: compileModelPatterns([pattern]),
    price: overridePrice(price),
  }));
  const known = new Map<string, Price | null>();
  return (model) => {
    const remembered = known.get(model);
    if (remembered !== undefined) return remembered;
    const own = overrides.find(({ matches }) => matches(model))?.price;
    const listed = own || catalogName === null ? null : book.priceOf(catalogName, model);
    const price = own ?? (listed && { ...listed, multiplier });
    if (known.size >= MAX_CACHED_PRICES) known.clear();
    known.set(model, price);
    return price;
  };
}

/**
 * Returns a function that finds a model's price in the configured prices and in the price catalog. It looks up
 * the requested model id first, and then the provider's name for the model. If the provider's name in the
 * catalog is `free`, a model without a configured price is free. Otherwise, the function returns null if the
 * price is unknown.
 */
export function createProviderPriceLookup(
  catalogName: string | undefined,
  pricing: Omit<PricingSettings, 'catalogName'> | undefined,
  upstreamModel: (model: string) => string,
): (model: string) => Price | null {
  const { billing = 'metered', multiplier = 1, overrides = {}, book = EMPTY_PRICE_CATALOG } = pricing ?? {};
  const priceOf = createPriceLookup({
    billing,
    multiplier,
    overrides,
    book,
    catalogName: catalogName === undefined || catalogName === 'free' ? null : catalogName,
  });
  // A free model may have a configured price, for testing budgets.
  const otherwise = catalogName === 'free' ? createUnmeteredPrice('free') : null;
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
    // Reasoning is part of the output and has the same price.
    reasoning: undefined,
  };
  return { source: 'override', date: null, multiplier: 1, tiers, ratesAt: () => ({ units: rates }) };
}
