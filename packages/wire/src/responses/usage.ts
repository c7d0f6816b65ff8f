import type { Json, JsonObject } from '@floe/contract/json';
import { addHostedToolCalls, addReportedUnits, parseServiceTier } from '../billed-unit-counts.ts';
import { asNumber, asObject } from '../json-narrowing.ts';
import { addMediaTokens, toUnitCounts, type Usage } from '../usage.ts';

/**
 * Reads the usage of a Responses response. Input includes cached tokens, and output includes
 * reasoning. Hosted tool calls are counted from the output items. The service tier is next to
 * `usage`. `answer` may also be a native response for images or audio, because its `usage` has the
 * same names.
 */
export function readResponsesUsage(answer: Json | undefined): Usage | undefined {
  const body = asObject(answer);
  const usage = asObject(body?.['usage']);
  if (usage === undefined) return undefined;
  const details = asObject(usage['input_tokens_details'] ?? usage['input_token_details']);
  const outputs = asObject(usage['output_tokens_details'] ?? usage['output_token_details']);
  const units =
    toUnitCounts({
      input: asNumber(usage['input_tokens']),
      cached: asNumber(details?.['cached_tokens']),
      cache_write: asNumber(details?.['cache_write_tokens']),
      output: asNumber(usage['output_tokens']),
      reasoning: asNumber(outputs?.['reasoning_tokens']),
    }) ?? {};
  addMediaTokens(units, details, outputs);
  addHostedToolCalls(units, body?.['output']);
  addReportedUnits(units, usage);
  if (Object.keys(units).length === 0) return undefined;
  return { units, tier: parseServiceTier(body?.['service_tier']) ?? parseServiceTier(usage['service_tier']) };
}

/** Writes usage in the Responses format; `null` if the provider reported none. */
export function writeResponsesUsage(usage: Usage | undefined): JsonObject | null {
  if (usage === undefined) return null;
  const { input = 0, cached = 0, cache_write = 0, output = 0, reasoning = 0 } = usage.units;
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached, cache_write_tokens: cache_write },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + output,
  };
}
