import { BILLED_UNITS, type BilledUnit } from '@floe/contract/billed-units';
import type { MutableUnitCounts, UnitCounts } from '@floe/wire/unit-counts';
import type { Usage } from '@floe/wire/usage';

/** US dollars per million tokens, before and beyond a length of context. */
export interface TieredRate {
  readonly base: number;
  /** A request with more input tokens than `above` pays `usd` for all of its tokens; ascending. */
  readonly tiers: readonly { readonly above: number; readonly usd: number }[];
}

export interface PriceRates {
  /** US dollars per million of each unit; what was read from a cache or written to one may have no rate of its own. */
  readonly units: UnitRates;
  /** US dollars per thousand requests, beside the units. */
  readonly perThousandRequests?: number | undefined;
}

export type UnitRates = Readonly<
  { input: TieredRate; output: TieredRate } & { [Unit in BilledUnit]?: TieredRate | undefined }
>;

/** What a model costs, and who says so. */
export interface Price {
  /** `override`: the operator's; `free` and `seat`: nothing per token, by the operator's word; else the catalog's. */
  readonly source: 'catalog' | 'override' | 'free' | 'seat';
  /** The day the catalog was made, `YYYY-MM-DD`; null for the operator's own. */
  readonly date: string | null;
  /** Factor on the catalog's prices. */
  readonly multiplier: number;
  /** Factors on the rates of tokens, by service tier; a tier without one has no known price. */
  readonly tiers: Readonly<Record<string, number>>;
  /** Prices may depend on the day or the hour. */
  ratesAt(atMs: number): PriceRates;
}

/** Prices of models by provider, as some catalog has them. */
export interface PriceBook {
  /** `book` is the provider's name in the catalog. Null for a model it does not know. */
  priceOf(book: string, model: string): Omit<Price, 'multiplier'> | null;
}

/** The price per million tokens of a request with so many input tokens. */
export function usdPerMillion(rate: TieredRate, inputTokens: number): number {
  return rate.tiers.findLast(({ above }) => inputTokens > above)?.usd ?? rate.base;
}

/** USD per million tokens is nano-USD per thousandth of a token. */
const NANO_PER_TOKEN = 1000;

/** What an answer costs as far as it can be priced. */
export interface UsageCost {
  /** Whole nano-USD, rounded up. */
  readonly nanoUsd: number;
  /** What of it has no price: units by name, and a service tier as `tier:<name>`. Empty when the cost is whole. */
  readonly unpriced: readonly string[];
  /** USD per million of each unit that was used and has a price, before any factor. */
  readonly rates: UnitCounts;
  /** USD for the one request, before any factor. */
  readonly request: number;
}

const ZERO_COST: UsageCost = { nanoUsd: 0, unpriced: [], rates: {}, request: 0 };

/**
 * What an answer costs. A part of a token count pays its own rate in place of that of its whole; a tier without a factor
 * pays the standard rates; other units without a rate pay nothing. Each of them but tokens of other media, which the
 * catalog lists where they differ, is named as unpriced.
 */
export function computeUsageCost(price: Price, { units, tier }: Usage, atMs: number): UsageCost {
  if (price.source === 'free' || price.source === 'seat') return ZERO_COST;
  const listed = price.ratesAt(atMs);
  const { input = 0 } = units;
  const rates: MutableUnitCounts = {};
  const unpriced: string[] = [];
  /** What parts leave of each count of tokens. */
  const left: MutableUnitCounts = {};
  let [tokens, fees] = [0, 0];
  for (const { unit, partOf } of BILLED_UNITS) {
    const count = units[unit] ?? 0;
    if (count === 0 && partOf !== 'tokens') continue;
    const rate = unitRate(listed.units, unit);
    if (rate === undefined) {
      if (isUnpriced(unit, partOf, price)) unpriced.push(unit);
      continue;
    }
    const usd = usdPerMillion(rate, input);
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
  if (!hasTierPrice(price, tier)) unpriced.push(`tier:${tier}`);
  const request = (listed.perThousandRequests ?? 0) / 1000;
  const usdOfMillion = tokens * getTierPriceFactor(price, tier) + fees + request * 1e6;
  return { nanoUsd: roundUpNano(usdOfMillion * price.multiplier * NANO_PER_TOKEN), unpriced, rates, request };
}

function unitRate(rates: UnitRates, unit: BilledUnit): TieredRate | undefined {
  return rates[unit] ?? (unit === 'cached' || unit === 'cache_write' ? rates.input : undefined);
}

/** The catalog lists media where their rate is another than that of text; an operator's prices are of text. */
function isUnpriced(unit: BilledUnit, partOf: string | null, { source }: Price): boolean {
  if (partOf === null || partOf === 'cache_write') return true;
  return unit !== 'reasoning' && source === 'override';
}

/** Whether the price of a service tier is known; that of the standard one is the price itself. */
export function hasTierPrice(price: Price, tier: string | undefined): boolean {
  return tier === undefined || tier === 'standard' || price.tiers[tier] !== undefined;
}

/** 1 for the standard tier, and for one that has no known price. */
export function getTierPriceFactor(price: Price, tier: string | undefined): number {
  return (tier === undefined ? undefined : price.tiers[tier]) ?? 1;
}

/** What a request may come to, before its answer is known. */
export interface UsageUpperBound {
  readonly input: number;
  readonly output: number;
  /** The service tier it asks for; absent for the standard one. */
  readonly tier?: string | undefined;
  /** Its prompt may be written to a cache that lives an hour. */
  readonly mayWriteHourCache?: boolean | undefined;
}

/** The most that so many tokens can cost: all input uncached, or written to the cache where that is dearer. */
export function worstCaseCostNanoUsd(
  price: Price,
  { input, output, tier, mayWriteHourCache }: UsageUpperBound,
  atMs: number,
): number {
  const { nanoUsd: plain } = computeUsageCost(price, { units: { input, output }, tier }, atMs);
  const rates = price.ratesAt(atMs).units;
  if (rates.cache_write === undefined) return plain;
  const hour = mayWriteHourCache && rates.cache_write_1h !== undefined ? input : 0;
  const written = { input, output, cache_write: input, cache_write_1h: hour };
  return Math.max(plain, computeUsageCost(price, { units: written, tier }, atMs).nanoUsd);
}

/** Rounded up, but not for what binary fractions add: 0.1 + 0.2 is no 31st nano-dollar. */
function roundUpNano(nano: number): number {
  return Math.ceil(Number(nano.toFixed(3)));
}

/** USD per million tokens of one answer, its length of context, its tier and every factor counted in. */
export interface ChargedPrice {
  input: number;
  output: number;
  cache_read?: number;
  cache_write?: number;
  /** USD for the one request, beside the tokens. */
  request?: number;
  /** USD per million of each billed unit that has a price. */
  units?: Record<string, number>;
}

const TOKEN_UNITS = new Set<string>(
  BILLED_UNITS.flatMap(({ unit, partOf }) => (partOf === null ? [] : [unit])),
);

/** The rates of a cost as a row keeps them; undefined for what costs nothing per token. */
export function toChargedPrice(
  price: Price,
  cost: UsageCost,
  tier: string | undefined,
): ChargedPrice | undefined {
  if (price.source === 'free' || price.source === 'seat') return undefined;
  const { multiplier } = price;
  const factor = multiplier * getTierPriceFactor(price, tier);
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

/** Without what binary fractions add: 3 times 0.1 is 0.3. */
function stripFloatError(usd: number): number {
  return Number(usd.toPrecision(12));
}

const ZERO_RATE: TieredRate = { base: 0, tiers: [] };
const ZERO_RATES: PriceRates = { units: { input: ZERO_RATE, output: ZERO_RATE } };

/** The price of a provider whose answers cost nothing per token. */
export function createUnmeteredPrice(source: 'free' | 'seat'): Price {
  return { source, date: null, multiplier: 1, tiers: {}, ratesAt: () => ZERO_RATES };
}
