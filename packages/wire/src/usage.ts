/**
 * Tokens of one answer, in one arithmetic for every provider: `input` holds everything that went in
 * (cached and cache-written tokens included), `output` everything that came out (reasoning included).
 * A field is absent when the provider did not say.
 */
export interface Usage {
  readonly input?: number;
  /** Part of `input` that was read from the provider's prompt cache. */
  readonly cached?: number;
  /** Part of `input` that was written to the provider's prompt cache. */
  readonly cacheWrite?: number;
  readonly output?: number;
  /** Part of `output` spent on reasoning. */
  readonly reasoning?: number;
}
