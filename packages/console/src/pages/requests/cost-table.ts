import type { RequestDetail } from '@floe/contract/api/analytics';
import type { ExchangeAttempt } from '@floe/contract/api/attempts';
import { BILLED_UNITS, getBilledUnitLabel } from '@floe/contract/billed-units';
import { requestDetailText } from './request-detail-text.ts';

/** Computes the cost lines of a request from its recorded tokens and prices. Pure. */

/** One line of the cost table, such as the input tokens of an attempt. */
export interface CostLine {
  readonly kind: string;
  /** Number of tokens or other units. Null if not counted. */
  readonly tokens: number | null;
  /** Price in USD per million units. */
  readonly usd: number | null;
  /** Cost in nano-USD, possibly with a fraction. Null if no price is recorded. */
  readonly nanoUsd: number | null;
}

/** The lines for one attempt. */
export interface AttemptCostLines {
  /** The charged attempt. Null if there was only one attempt. */
  readonly attempt: ExchangeAttempt | null;
  readonly lines: readonly CostLine[];
}

/** The cost table of a request. */
export interface CostTable {
  readonly parts: readonly AttemptCostLines[];
  /** The amount in nano-USD that was added by rounding up to a whole nano-dollar. */
  readonly roundedNanoUsd: number;
  /** Whether all prices are recorded. False for older rows, for which only tokens are shown. */
  readonly isComplete: boolean;
}

/**
 * Returns the billed units and the service tier of a request for which no price is set. Empty if the cost is
 * complete.
 */
export function listUnpricedUnits({ attempts }: Pick<RequestDetail, 'attempts'>): readonly string[] {
  const names = attempts.flatMap(({ unpriced = [] }) => unpriced);
  return [...new Set(names)].map((name) =>
    name.startsWith('tier:')
      ? requestDetailText.cost.serviceTierName(name.slice('tier:'.length))
      : getBilledUnitLabel(name),
  );
}

interface Counts {
  readonly input: number;
  readonly cached: number;
  readonly written: number;
  readonly output: number;
}

/** The fields from which the cost of a request is computed. */
export type RequestCostFields = Pick<RequestDetail, 'usage' | 'attempts' | 'cost_nano_usd'>;

/**
 * Returns the cost table of a request. The lines and the rounding add up to the cost of the request to the
 * nano-dollar.
 */
export function buildCostTable(request: RequestCostFields): CostTable {
  const charged = request.attempts.filter(({ price }) => price !== undefined);
  const parts = charged.map((attempt): AttemptCostLines => {
    const lines = linesOf(attempt.usage === undefined ? rowCounts(request) : attemptCounts(attempt), attempt);
    return { attempt: request.attempts.length > 1 ? attempt : null, lines };
  });
  const sum = parts.flatMap(({ lines }) => lines).reduce((total, { nanoUsd }) => total + (nanoUsd ?? 0), 0);
  const rounded = roundNano((request.cost_nano_usd ?? 0) - sum);
  const isComplete = parts.length > 0 && rounded >= 0 && rounded < parts.length;
  if (isComplete) return { parts, roundedNanoUsd: rounded, isComplete };
  return { parts: [{ attempt: null, lines: linesOf(rowCounts(request)) }], roundedNanoUsd: 0, isComplete };
}

function rowCounts({ usage }: RequestCostFields): Counts {
  const { input_tokens, cached_tokens, cache_write_tokens, output_tokens } = usage;
  return counts(input_tokens, cached_tokens, cache_write_tokens, output_tokens);
}

function attemptCounts({ usage = {} }: ExchangeAttempt): Counts {
  return counts(usage['input'], usage['cached'], usage['cacheWrite'], usage['output']);
}

type Count = number | null | undefined;

function counts(input: Count, cached: Count, written: Count, output: Count): Counts {
  return { input: input ?? 0, cached: cached ?? 0, written: written ?? 0, output: output ?? 0 };
}

/**
 * Splits the counts like the gateway: cache reads and writes are part of the input but have their own prices.
 * A billed unit that is part of a count is subtracted from it.
 */
function linesOf(all: Counts, { price, billed_units }: Partial<ExchangeAttempt> = {}): CostLine[] {
  const cached = Math.min(all.cached, all.input);
  const written = Math.min(all.written, all.input - cached);
  const left = { input: all.input - cached - written, cached, cache_write: written, output: all.output };
  const units = unitLines(left, billed_units ?? {}, price?.units ?? {});
  return [
    line(requestDetailText.cost.input, left.input, price?.input),
    ...(left.cached > 0
      ? [line(requestDetailText.cost.cacheRead, left.cached, price?.cache_read ?? price?.input)]
      : []),
    ...(left.cache_write > 0
      ? [line(requestDetailText.cost.cacheWrite, left.cache_write, price?.cache_write ?? price?.input)]
      : []),
    line(requestDetailText.cost.output, left.output, price?.output),
    ...units,
    ...(price?.request === undefined
      ? []
      : [
          {
            kind: requestDetailText.cost.requestFee,
            tokens: null,
            usd: null,
            nanoUsd: roundNano(price.request * 1e9),
          },
        ]),
  ];
}

type Left = Record<'input' | 'cached' | 'cache_write' | 'output', number>;
type Numbers = Readonly<Record<string, number>>;

/** Returns the lines of the units that have a price. Subtracts units that are part of `left` from it. */
function unitLines(left: Left, units: Numbers, prices: Numbers): CostLine[] {
  return Object.entries(units).flatMap(([unit, count]) => {
    const usd = prices[unit];
    if (usd === undefined) return [];
    const whole = BILLED_UNITS.find((known) => known.unit === unit)?.partOf ?? null;
    const isPart = whole !== null && whole !== 'tokens';
    const charged = isPart ? Math.min(count, left[whole]) : count;
    if (isPart) left[whole] -= charged;
    return [line(getBilledUnitLabel(unit), charged, usd)];
  });
}

function line(kind: string, tokens: number, usd: number | undefined): CostLine {
  return {
    kind,
    tokens,
    usd: usd ?? null,
    nanoUsd: usd === undefined ? null : roundNano(tokens * usd * 1000),
  };
}

/** Rounds to a thousandth of a nano-dollar, like the gateway. */
function roundNano(nano: number): number {
  return Number(nano.toFixed(3));
}
