import type { JsonObject } from '@floe/contract/json';
import { numberOf, objectOf } from '../json-read.ts';
import { reportedUnits, type Usage } from '../usage.ts';

/**
 * Reads a `usage` of version 2: `tokens` are what the model read and wrote, `billed_units` what is charged and
 * used where the others are missing. Image tokens stand beside the input, reasoning is inside the output.
 */
export function readCohereUsage(usage: JsonObject): Usage | undefined {
  const tokens = objectOf(usage['tokens']);
  const billed = objectOf(usage['billed_units']);
  const read = numberOf(tokens?.['input_tokens']) ?? numberOf(billed?.['input_tokens']);
  const images = tokens?.['input_tokens'] === undefined ? undefined : numberOf(tokens['image_tokens']);
  const output = numberOf(tokens?.['output_tokens']) ?? numberOf(billed?.['output_tokens']);
  const cached = numberOf(usage['cached_tokens']);
  const reasoning = numberOf(tokens?.['reasoning_tokens']);
  const input = read === undefined ? undefined : read + (images ?? 0);
  const units = reportedUnits({
    input,
    cached: cached && Math.min(cached, input ?? cached),
    cache_write: undefined,
    output,
    reasoning: reasoning && Math.min(reasoning, output ?? reasoning),
  });
  return units && { units };
}
