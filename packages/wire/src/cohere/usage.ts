import type { JsonObject } from '@floe/contract/json';
import { asNumber, asObject } from '../json-narrowing.ts';
import { toUnitCounts, type Usage } from '../usage.ts';

/**
 * Reads `usage` in a Cohere response (version 2). `tokens` are the processed tokens. `billed_units`
 * are the charged tokens, and are used if `tokens` is missing. Image tokens are added to the input.
 * Reasoning is part of the output.
 */
export function readCohereUsage(usage: JsonObject): Usage | undefined {
  const tokens = asObject(usage['tokens']);
  const billed = asObject(usage['billed_units']);
  const read = asNumber(tokens?.['input_tokens']) ?? asNumber(billed?.['input_tokens']);
  const images = tokens?.['input_tokens'] === undefined ? undefined : asNumber(tokens['image_tokens']);
  const output = asNumber(tokens?.['output_tokens']) ?? asNumber(billed?.['output_tokens']);
  const cached = asNumber(usage['cached_tokens']);
  const reasoning = asNumber(tokens?.['reasoning_tokens']);
  const input = read === undefined ? undefined : read + (images ?? 0);
  const units = toUnitCounts({
    input,
    cached: cached && Math.min(cached, input ?? cached),
    cache_write: undefined,
    output,
    reasoning: reasoning && Math.min(reasoning, output ?? reasoning),
  });
  return units && { units };
}
