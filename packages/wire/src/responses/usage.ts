import type { Json, JsonObject } from '@floe/contract/json';
import { numberOf, objectOf } from '../json-read.ts';
import { addUnits, tierOf, unitsOfOutput, unitsOfTools } from '../units.ts';
import { billed, modalities, type Usage } from '../usage.ts';

/**
 * What a Responses answer used: cached tokens are part of the input, reasoning part of the output. Hosted tools are
 * counted by their output items, the tier stands beside `usage`. `answer` may be a native answer of images or audio,
 * whose `usage` has the same names.
 */
export function readResponsesUsage(answer: Json | undefined): Usage | undefined {
  const body = objectOf(answer);
  const usage = objectOf(body?.['usage']);
  if (usage === undefined) return undefined;
  const details = objectOf(usage['input_tokens_details'] ?? usage['input_token_details']);
  const outputs = objectOf(usage['output_tokens_details'] ?? usage['output_token_details']);
  const input = numberOf(usage['input_tokens']);
  const cached = numberOf(details?.['cached_tokens']);
  const cacheWrite = numberOf(details?.['cache_write_tokens']);
  const output = numberOf(usage['output_tokens']);
  const reasoning = numberOf(outputs?.['reasoning_tokens']);
  const read: Usage = {
    ...(input !== undefined && { input }),
    ...(cached !== undefined && { cached }),
    ...(cacheWrite !== undefined && { cacheWrite }),
    ...(output !== undefined && { output }),
    ...(reasoning !== undefined && { reasoning }),
  };
  const tools = addUnits(unitsOfOutput(body?.['output']), unitsOfTools(usage));
  const units = addUnits(modalities(details, outputs), tools);
  if (Object.keys(read).length === 0 && units === undefined) return undefined;
  return billed(read, units, tierOf(body?.['service_tier']) ?? tierOf(usage['service_tier']));
}

/** The same counts as a Responses client reads them; `null` when the provider said nothing. */
export function writeResponsesUsage(usage: Usage | undefined): JsonObject | null {
  if (usage === undefined) return null;
  const input = usage.input ?? 0;
  const output = usage.output ?? 0;
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: usage.cached ?? 0, cache_write_tokens: usage.cacheWrite ?? 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: usage.reasoning ?? 0 },
    total_tokens: input + output,
  };
}
