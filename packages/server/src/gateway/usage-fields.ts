import type { Usage } from '@floe/wire/usage';
import type { ExchangeRow } from '../store/store-interfaces.ts';

/** The columns of a request log row that contain token counts. */
type TokenColumns = Pick<
  ExchangeRow,
  'input_tokens' | 'cached_tokens' | 'cache_write_tokens' | 'output_tokens' | 'reasoning_tokens'
>;

/** Converts usage to the token columns of a request log row. */
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

/** An attempt's token counts, with the names that the attempt record uses. */
export interface AttemptTokens {
  readonly input?: number | undefined;
  readonly cached?: number | undefined;
  readonly cacheWrite?: number | undefined;
  readonly output?: number | undefined;
  readonly reasoning?: number | undefined;
}

/** Converts usage to an attempt's token counts. */
export function toAttemptTokens({ units }: Usage): AttemptTokens {
  const { input, cached, cache_write, output, reasoning } = units;
  return { input, cached, cacheWrite: cache_write, output, reasoning };
}

/** Returns the billed units that are not tokens; undefined if there are none. */
export function selectNonTokenUnits(units: Usage['units']): Readonly<Record<string, number>> | undefined {
  const { input, cached, cache_write, output, reasoning, ...others } = units;
  for (const _ in others) return others;
  return undefined;
}
