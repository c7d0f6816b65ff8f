import type { Json, JsonObject } from '@floe/contract/json';
import { numberOf, objectOf } from '../json-read.ts';
import type { Usage } from '../usage.ts';

/** Reads a Responses `usage` object: cached tokens are part of the input, reasoning part of the output. */
export function readResponsesUsage(value: Json | undefined): Usage | undefined {
  const usage = objectOf(value);
  if (usage === undefined) return undefined;
  const details = objectOf(usage['input_tokens_details']);
  const input = numberOf(usage['input_tokens']);
  const cached = numberOf(details?.['cached_tokens']);
  const cacheWrite = numberOf(details?.['cache_write_tokens']);
  const output = numberOf(usage['output_tokens']);
  const reasoning = numberOf(objectOf(usage['output_tokens_details'])?.['reasoning_tokens']);
  const read: Usage = {
    ...(input !== undefined && { input }),
    ...(cached !== undefined && { cached }),
    ...(cacheWrite !== undefined && { cacheWrite }),
    ...(output !== undefined && { output }),
    ...(reasoning !== undefined && { reasoning }),
  };
  return Object.keys(read).length === 0 ? undefined : read;
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
