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

/**
 * Whole nano-USD, rounded up, of an answer's tokens. Cached and cache-written tokens are part of the input and
 * pay their own rate.
 */
export function costNanoUsd(price: Price, usage: Usage, atMs: number): number {
  const { input, output, cacheRead, cacheWrite, perThousandRequests = 0 } = price.ratesAt(atMs);
  const { input: total = 0, output: out = 0 } = usage;
  const cached = Math.min(usage.cached ?? 0, total);
  const written = Math.min(usage.cacheWrite ?? 0, total - cached);
  // Dollars per million of each, the fee of the one request among them.
  const usd =
    (total - cached - written) * usdPerMillion(input, total) +
    cached * usdPerMillion(cacheRead ?? input, total) +
    written * usdPerMillion(cacheWrite ?? input, total) +
    out * usdPerMillion(output, total);
  return wholeNano((usd + perThousandRequests * 1000) * price.multiplier * NANO_PER_TOKEN);
}

/** The most that so many tokens can cost: all input uncached, or written to the cache where that is dearer. */
export function worstNanoUsd(price: Price, inputTokens: number, outputTokens: number, atMs: number): number {
  const plain = costNanoUsd(price, { input: inputTokens, output: outputTokens }, atMs);
  if (price.ratesAt(atMs).cacheWrite === undefined) return plain;
  return Math.max(
    plain,
    costNanoUsd(price, { input: inputTokens, output: outputTokens, cacheWrite: inputTokens }, atMs),
  );
}

/** Rounded up, but not for what binary fractions add: 0.1 + 0.2 is no 31st nano-dollar. */
function wholeNano(nano: number): number {
  return Math.ceil(Number(nano.toFixed(3)));
}

/** USD per million tokens of one answer, its length of context and every factor counted in. */
export interface ChargedPrice {
  input: number;
  output: number;
  cache_read?: number;
  cache_write?: number;
  /** USD for the one request, beside the tokens. */
  request?: number;
}

/** What `costNanoUsd` multiplies the tokens with, as a row keeps it; undefined for what costs nothing per token. */
export function chargedPrice(price: Price, usage: Usage, atMs: number): ChargedPrice | undefined {
  if (price.source === 'free' || price.source === 'seat') return undefined;
  const { input, output, cacheRead, cacheWrite, perThousandRequests } = price.ratesAt(atMs);
  const { input: total = 0, cached, cacheWrite: written } = usage;
  const { multiplier } = price;
  const of = (rate: Rate) => exact(usdPerMillion(rate, total) * multiplier);
  const charged: ChargedPrice = { input: of(input), output: of(output) };
  if (cached) charged.cache_read = of(cacheRead ?? input);
  if (written) charged.cache_write = of(cacheWrite ?? input);
  if (perThousandRequests) charged.request = exact((perThousandRequests / 1000) * multiplier);
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
  return { source, date: null, multiplier: 1, ratesAt: () => NO_RATES };
}
