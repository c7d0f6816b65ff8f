import { BILLED_UNITS, type BilledUnit } from '@floe/contract/billed-units';
import type { BilledUnitCounts, MutableBilledUnitCounts } from '@floe/wire/billed-unit-counts';
import type { Usage } from '@floe/wire/usage';

/** A rate in US dollars per million tokens that depends on the context length. */
export interface TieredRate {
  readonly base: number;
  /**
   * The rates for long requests, in ascending order. A request with more than `above` input tokens is charged
   * `usd` for all of its tokens.
   */
  readonly tiers: readonly { readonly above: number; readonly usd: number }[];
}

/** The rates of a model, by billed unit and per request. */
export interface PriceRates {
  /** Rates by billed unit. Cache reads and writes may have no separate rate. */
  readonly units: UnitRates;
  /** US dollars per thousand requests, in addition to the billed units. */
  readonly perThousandRequests?: number | undefined;
}

/** Rates in US dollars per million units, by billed unit. */
export type UnitRates = Readonly<
  { input: TieredRate; output: TieredRate } & { [Unit in BilledUnit]?: TieredRate | undefined }
>;

/** A model's price and the source of the price. */
export interface Price {
  /**
   * `override`: a configured price; `free` and `seat`: configured as costing nothing per token; `catalog`:
   * from the price catalog.
   */
  readonly source: 'catalog' | 'override' | 'free' | 'seat';
  /** Date of the catalog, `YYYY-MM-DD`; null for a configured price. */
  readonly date: string | null;
  /** Factor for catalog prices. */
  readonly multiplier: number;
  /** Factors for token prices by service tier. A tier without a factor has no known price. */
  readonly tiers: Readonly<Record<string, number>>;
  /** Returns the rates at a time, because prices may depend on the date or the hour. */
  ratesAt(atMs: number): PriceRates;
}

/** A price catalog: finds the prices of models by provider. */
export interface PriceCatalog {
  /** Returns the price of a model; null if it is unknown. `book` is the provider's name in the catalog. */
  priceOf(book: string, model: string): Omit<Price, 'multiplier'> | null;
}

/** Returns the rate in USD per million tokens that applies to a request with this number of input tokens. */
export function getUsdPerMillionTokens(rate: TieredRate, inputTokens: number): number {
  return rate.tiers.findLast(({ above }) => inputTokens > above)?.usd ?? rate.base;
}

/** Nano-USD per token at a rate of one USD per million tokens. */
const NANO_PER_TOKEN = 1000;

/** The cost of a response, and the units whose price is unknown. */
export interface UsageCost {
  /** Integer nano-USD, rounded up. */
  readonly nanoUsd: number;
  /** Units whose price is unknown. A service tier without a known price is listed as `tier:<name>`. */
  readonly unpriced: readonly string[];
  /** Whether all units have a price and the cost is at most `MAX_COST_NANO_USD`. */
  readonly isComplete: boolean;
  /** USD per million of each used unit that has a price, before factors are applied. */
  readonly rates: BilledUnitCounts;
  /** USD for the request itself, before factors are applied. */
  readonly request: number;
}

/**
 * The maximum cost of an exchange, one million USD. Only a wrong price or count results in a higher one. Thanks to this
 * maximum, the sums of many costs fit into the integer columns of the database.
 */
export const MAX_COST_NANO_USD = 1e15;

const ZERO_COST: UsageCost = { nanoUsd: 0, unpriced: [], isComplete: true, rates: {}, request: 0 };

/**
 * Computes the cost of a response. Some units are parts of others: cached input tokens, for example, are a
 * part of the input tokens. A part with its own rate is charged at that rate instead of the rate of the
 * whole.
 *
 * A service tier without a price factor is charged at standard rates and reported as unpriced. A unit without
 * a rate costs nothing and is reported as unpriced. Image and audio tokens are an exception: the price catalog
 * lists them only if their rate differs from the rate of text tokens. The cost is at most `MAX_COST_NANO_USD`.
 */
export function computeUsageCost(price: Price, { units, tier }: Usage, atMs: number): UsageCost {
  if (price.source === 'free' || price.source === 'seat') return ZERO_COST;
  const listed = price.ratesAt(atMs);
  const { input = 0 } = units;
  const rates: MutableBilledUnitCounts = {};
  const unpriced: string[] = [];
  /** The count of each token unit that remains after its parts are subtracted. */
  const left: MutableBilledUnitCounts = {};
  let [tokens, fees] = [0, 0];
  for (const { unit, partOf } of BILLED_UNITS) {
    const count = units[unit] ?? 0;
    if (count === 0 && partOf !== 'tokens') continue;
    const rate = unitRate(listed.units, unit);
    if (rate === undefined) {
      if (isUnpriced(unit, partOf, price)) unpriced.push(unit);
      continue;
    }
    const usd = getUsdPerMillionTokens(rate, input);
    rates[unit] = usd;
    if (partOf === null) fees += count * usd;
    else if (partOf === 'tokens') {
      left[unit] = count;
      tokens += count * usd;
    } else {
      const whole = left[partOf] ?? 0;
      const taken = Math.min(count, whole);
      left[partOf] = whole - taken;
      left[unit] = taken;
      tokens += taken * (usd - (rates[partOf] ?? 0));
    }
  }
  if (!hasServiceTierPrice(price, tier)) unpriced.push(`tier:${tier}`);
  const request = (listed.perThousandRequests ?? 0) / 1000;
  const usdOfMillion = tokens * getServiceTierPriceFactor(price, tier) + fees + request * 1e6;
  const exact = roundUpNano(usdOfMillion * price.multiplier * NANO_PER_TOKEN);
  // Also false for NaN.
  const isCovered = exact <= MAX_COST_NANO_USD;
  const nanoUsd = isCovered ? exact : MAX_COST_NANO_USD;
  return { nanoUsd, unpriced, isComplete: isCovered && unpriced.length === 0, rates, request };
}

/** Adds the costs of two parts of an exchange. The sum is at most `MAX_COST_NANO_USD`. */
export function addCosts(one: number, other: number): number {
  return Math.min(MAX_COST_NANO_USD, one + other);
}

function unitRate(rates: UnitRates, unit: BilledUnit): TieredRate | undefined {
  return rates[unit] ?? (unit === 'cached' || unit === 'cache_write' ? rates.input : undefined);
}

/**
 * Returns whether a unit has no known price. The catalog lists media only if their rate differs from text. A
 * configured price applies only to text.
 */
function isUnpriced(unit: BilledUnit, partOf: string | null, { source }: Price): boolean {
  if (partOf === null || partOf === 'cache_write') return true;
  return unit !== 'reasoning' && source === 'override';
}

/**
 * Returns whether the price of a service tier is known. For the standard tier, it is the model's
 * price itself.
 */
export function hasServiceTierPrice(price: Price, tier: string | undefined): boolean {
  return tier === undefined || tier === 'standard' || price.tiers[tier] !== undefined;
}

/**
 * Returns the price factor of a service tier. Returns 1 for the standard tier and for a tier
 * without a known factor.
 */
function getServiceTierPriceFactor(price: Price, tier: string | undefined): number {
  return (tier === undefined ? undefined : price.tiers[tier]) ?? 1;
}

/** The maximum usage of a request, estimated before its response. */
export interface UsageUpperBound {
  readonly input: number;
  readonly output: number;
  /** The requested service tier; absent for the standard tier. */
  readonly tier?: string | undefined;
  /**
   * Returns whether the prompt may be written to a cache with a lifetime of one hour. Called only if the price
   * depends on it.
   */
  readonly mayWriteHourCache?: () => boolean;
}

/**
 * Returns the maximum cost in nano-USD. Assumes that no input is read from the prompt cache. If writing input
 * to the prompt cache costs more, assumes that all input is written to it.
 */
export function computeMaxCostNanoUsd(
  price: Price,
  { input, output, tier, mayWriteHourCache }: UsageUpperBound,
  atMs: number,
): number {
  const { nanoUsd: plain } = computeUsageCost(price, { units: { input, output }, tier }, atMs);
  const rates = price.ratesAt(atMs).units;
  if (rates.cache_write === undefined) return plain;
  const hour = rates.cache_write_1h !== undefined && mayWriteHourCache?.() ? input : 0;
  const written = { input, output, cache_write: input, cache_write_1h: hour };
  return Math.max(plain, computeUsageCost(price, { units: written, tier }, atMs).nanoUsd);
}

/** Rounds up, but ignores floating-point errors, so that 0.1 + 0.2 does not add a nano-dollar. */
function roundUpNano(nano: number): number {
  return Math.ceil(Number(nano.toFixed(3)));
}

/**
 * The rates at which one response was charged, in USD per million tokens. The rates include the context
 * length, the service tier and all price multipliers.
 */
export interface ChargedPrice {
  input: number;
  output: number;
  cache_read?: number;
  cache_write?: number;
  /** USD for the request itself, in addition to the tokens. */
  request?: number;
  /** USD per million of each billed unit with a price. */
  units?: Record<string, number>;
}

const TOKEN_UNITS = new Set<string>(
  BILLED_UNITS.flatMap(({ unit, partOf }) => (partOf === null ? [] : [unit])),
);

/**
 * Returns the charged rates in the form in which a request log row stores them. Returns undefined if nothing
 * is charged per token.
 */
export function toChargedPrice(
  price: Price,
  cost: UsageCost,
  tier: string | undefined,
): ChargedPrice | undefined {
  if (price.source === 'free' || price.source === 'seat') return undefined;
  const { multiplier } = price;
  const factor = multiplier * getServiceTierPriceFactor(price, tier);
  const { input = 0, output = 0, cached, cache_write, ...others } = cost.rates;
  const charged: ChargedPrice = {
    input: stripFloatError(input * factor),
    output: stripFloatError(output * factor),
  };
  if (cached !== undefined) charged.cache_read = stripFloatError(cached * factor);
  if (cache_write !== undefined) charged.cache_write = stripFloatError(cache_write * factor);
  if (cost.request > 0) charged.request = stripFloatError(cost.request * multiplier);
  for (const [unit, usd] of Object.entries(others)) {
    charged.units ??= {};
    charged.units[unit] = stripFloatError(usd * (TOKEN_UNITS.has(unit) ? factor : multiplier));
  }
  return charged;
}

/** Removes floating-point errors: 3 times 0.1 becomes 0.3. */
function stripFloatError(usd: number): number {
  return Number(usd.toPrecision(12));
}

const ZERO_RATE: TieredRate = { base: 0, tiers: [] };
const ZERO_RATES: PriceRates = { units: { input: ZERO_RATE, output: ZERO_RATE } };

/** Returns the price for a provider that charges nothing per token. */
export function createUnmeteredPrice(source: 'free' | 'seat'): Price {
  return { source, date: null, multiplier: 1, tiers: {}, ratesAt: () => ZERO_RATES };
}
