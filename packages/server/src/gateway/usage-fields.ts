import type { Usage } from '@floe/wire/usage';
import type { ExchangeRow } from '../store/ports.ts';

/** Usage as rows have it: columns and members for the counts of tokens, a map for everything else. */

type TokenColumns = Pick<
  ExchangeRow,
  'input_tokens' | 'cached_tokens' | 'cache_write_tokens' | 'output_tokens' | 'reasoning_tokens'
>;

export function toTokenColumns(usage: Usage | null): TokenColumns {
  const { input, cached, cache_write, output, reasoning } = usage?.units ?? {};
  return {
    input_tokens: input ?? null,
    cached_tokens: cached ?? null,
    cache_write_tokens: cache_write ?? null,
    output_tokens: output ?? null,
    reasoning_tokens: reasoning ?? null,
  };
}

/** The counts of tokens of one attempt, by the names that its record has for them. */
export interface AttemptTokens {
  readonly input?: number | undefined;
  readonly cached?: number | undefined;
  readonly cacheWrite?: number | undefined;
  readonly output?: number | undefined;
  readonly reasoning?: number | undefined;
}

export function toAttemptTokens({ units }: Usage): AttemptTokens {
  const { input, cached, cache_write, output, reasoning } = units;
  return { input, cached, cacheWrite: cache_write, output, reasoning };
}

/** What is billed beside those counts; undefined when nothing is. */
export function selectNonTokenUnits(units: Usage['units']): Readonly<Record<string, number>> | undefined {
  const { input, cached, cache_write, output, reasoning, ...others } = units;
  for (const _ in others) return others;
  return undefined;
}
