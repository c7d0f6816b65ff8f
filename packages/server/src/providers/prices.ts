import { UNIT_PARTS } from '@floe/contract/billed-units';
import type { BilledUnits } from '@floe/wire/units';
import type { Usage } from '@floe/wire/usage';

/** US dollars per million tokens, before and beyond a length of context. */
export interface Rate {
  readonly base: number;
  /** A request with more input tokens than `above` pays `usd` for all of its tokens; ascending. */
  readonly tiers: readonly { readonly above: number; readonly usd: number }[];
}

export interface Rates {
  readonly input: Rate;
  readonly output: Rate;
  /** Absent: as `input`. */
  readonly cacheRead?: Rate | undefined;
  readonly cacheWrite?: Rate | undefined;
  /** US dollars per million of each unit beside plain tokens (`Usage.units`), by its name. */
  readonly units?: Readonly<Record<string, Rate>> | undefined;
  /** US dollars per thousand requests, beside the tokens. */
  readonly perThousandRequests?: number | undefined;
}

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
  ratesAt(atMs: number): Rates;
}

/** Prices of models by provider, as some catalog has them. */
export interface PriceBook {
  /** `book` is the provider's name in the catalog. Null for a model it does not know. */
  priceOf(book: string, model: string): Omit<Price, 'multiplier'> | null;
}

/** The price per million tokens of a request with so many input tokens. */
export function usdPerMillion(rate: Rate, inputTokens: number): number {
  return rate.tiers.findLast(({ above }) => inputTokens > above)?.usd ?? rate.base;
}

/** USD per million tokens is nano-USD per thousandth of a token. */
const NANO_PER_TOKEN = 1000;

/** What an answer costs as far as it can be priced. */
export interface Cost {
  /** Whole nano-USD, rounded up. */
  readonly nanoUsd: number;
  /** What of it has no price: units by name, and a service tier as `tier:<name>`. Empty when the cost is whole. */
  readonly unpriced: readonly string[];
}

/**
 * What an answer costs. Cached and cache-written tokens are part of the input and pay their own rate; so do units
 * that are a part of a token count. A part without a rate pays that of its whole, a tier without a factor the
 * standard rates; other units without a rate pay nothing. Each of them but tokens of other media, which the catalog
 * lists where they differ, is named as unpriced.
 */
export function costOf(price: Price, usage: Usage, atMs: number): Cost {
  if (price.source === 'free' || price.source === 'seat') return NO_COST;
  const rates = price.ratesAt(atMs);
  const { input: total = 0, output = 0, tier } = usage;
  const cached = Math.min(usage.cached ?? 0, total);
  const written = Math.min(usage.cacheWrite ?? 0, total - cached);
  const counts = { input: total - cached - written, cached, cacheWrite: written, output };
  const whole = {
    input: usdPerMillion(rates.input, total),
    cached: usdPerMillion(rates.cacheRead ?? rates.input, total),
    cacheWrite: usdPerMillion(rates.cacheWrite ?? rates.input, total),
    output: usdPerMillion(rates.output, total),
  };
  // Dollars per million of each, the fee of the one request among them.
  let tokens = 0;
  for (const part of PARTS) tokens += counts[part] * whole[part];
  const { parts, fees, unpriced } = usage.units
    ? unitCosts(price, usage.units, { rates, total, counts, whole })
    : NO_UNITS;
  const usd = (tokens + parts) * tierFactor(price, tier) + fees + (rates.perThousandRequests ?? 0) * 1000;
  return {
    nanoUsd: wholeNano(usd * price.multiplier * NANO_PER_TOKEN),
    unpriced: knowsTier(price, tier) ? unpriced : [...unpriced, `tier:${tier}`],
  };
}

const PARTS = ['input', 'cached', 'cacheWrite', 'output'] as const;
type Counts = Record<(typeof PARTS)[number], number>;
const NO_COST: Cost = { nanoUsd: 0, unpriced: [] };
const NO_UNITS = { parts: 0, fees: 0, unpriced: [] };

interface Tokens {
  readonly rates: Rates;
  readonly total: number;
  readonly counts: Readonly<Counts>;
  /** USD per million of each. */
  readonly whole: Readonly<Counts>;
}

/** What units add: to the tokens they are a part of, and as fees. */
function unitCosts(price: Price, units: BilledUnits, { rates, total, counts, whole }: Tokens) {
  const left = { ...counts };
  const unpriced: string[] = [];
  let [parts, fees] = [0, 0];
  for (const [unit, count] of Object.entries(units)) {
    const rate = rates.units?.[unit];
    const part = UNIT_PARTS[unit];
    if (rate === undefined) {
      // The catalog lists media where their rate is another; an operator's prices are of text.
      if (part === undefined || part === 'cacheWrite' || price.source === 'override') unpriced.push(unit);
    } else if (part === undefined) fees += count * usdPerMillion(rate, total);
    else {
      const taken = Math.min(count, left[part]);
      left[part] -= taken;
      parts += taken * (usdPerMillion(rate, total) - whole[part]);
    }
  }
  return { parts, fees, unpriced };
}

/** Whether the price of a service tier is known; that of the standard one is the price itself. */
export function knowsTier(price: Price, tier: string | undefined): boolean {
  return tier === undefined || tier === 'standard' || price.tiers[tier] !== undefined;
}

/** 1 for the standard tier, and for one that has no known price. */
export function tierFactor(price: Price, tier: string | undefined): number {
  return (tier === undefined ? undefined : price.tiers[tier]) ?? 1;
}

/** What a request may come to, before its answer is known. */
export interface MostUsage {
  readonly input: number;
  readonly output: number;
  /** The service tier it asks for; absent for the standard one. */
  readonly tier?: string | undefined;
  /** Its prompt may be written to a cache that lives an hour. */
  readonly writesForAnHour?: boolean | undefined;
}

/** The most that so many tokens can cost: all input uncached, or written to the cache where that is dearer. */
export function worstNanoUsd(
  price: Price,
  { input, output, tier, writesForAnHour }: MostUsage,
  atMs: number,
): number {
  const usage: Usage = { input, output, ...(tier !== undefined && { tier }) };
  const { nanoUsd: plain } = costOf(price, usage, atMs);
  const { cacheWrite, units } = price.ratesAt(atMs);
  if (cacheWrite === undefined) return plain;
  const written: Usage = { ...usage, cacheWrite: input };
  const isForAnHour = writesForAnHour && units?.['cache_write_1h'] !== undefined;
  const worst = isForAnHour ? { ...written, units: { cache_write_1h: input } } : written;
  return Math.max(plain, costOf(price, worst, atMs).nanoUsd);
}

/** Rounded up, but not for what binary fractions add: 0.1 + 0.2 is no 31st nano-dollar. */
function wholeNano(nano: number): number {
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

/** What `costOf` multiplies the counts with, as a row keeps it; undefined for what costs nothing per token. */
export function chargedPrice(price: Price, usage: Usage, atMs: number): ChargedPrice | undefined {
  if (price.source === 'free' || price.source === 'seat') return undefined;
  const { input, output, cacheRead, cacheWrite, perThousandRequests, units } = price.ratesAt(atMs);
  const { input: total = 0, cached, cacheWrite: written } = usage;
  const { multiplier } = price;
  const factor = multiplier * tierFactor(price, usage.tier);
  const of = (rate: Rate, by = factor) => exact(usdPerMillion(rate, total) * by);
  const charged: ChargedPrice = { input: of(input), output: of(output) };
  if (cached) charged.cache_read = of(cacheRead ?? input);
  if (written) charged.cache_write = of(cacheWrite ?? input);
  if (perThousandRequests) charged.request = exact((perThousandRequests / 1000) * multiplier);
  for (const unit of Object.keys(usage.units ?? {})) {
    const rate = units?.[unit];
    if (rate === undefined) continue;
    charged.units ??= {};
    charged.units[unit] = of(rate, UNIT_PARTS[unit] === undefined ? multiplier : factor);
  }
  return charged;
}

/** Without what binary fractions add: 3 times 0.1 is 0.3. */
function exact(usd: number): number {
  return Number(usd.toPrecision(12));
}

const NOTHING: Rate = { base: 0, tiers: [] };
const NO_RATES: Rates = { input: NOTHING, output: NOTHING };

/** The price of a provider whose answers cost nothing per token. */
export function unmetered(source: 'free' | 'seat'): Price {
  return { source, date: null, multiplier: 1, tiers: {}, ratesAt: () => NO_RATES };
}
