import type { Json, JsonObject } from '@floe/contract/json';
import { numberOf, objectOf, objectsIn } from '../json-read.ts';
import { tierOf, unitsOf } from '../units.ts';
import { billed, type Usage } from '../usage.ts';

/** Reads a Converse `usage`: cache reads and writes stand beside `inputTokens`, so the whole input is the sum. */
export function readConverseUsage(usage: JsonObject, serviceTier?: Json): Usage | undefined {
  const fresh = numberOf(usage['inputTokens']);
  const cached = numberOf(usage['cacheReadInputTokens']) ?? numberOf(usage['cacheReadInputTokenCount']);
  const cacheWrite = numberOf(usage['cacheWriteInputTokens']) ?? numberOf(usage['cacheWriteInputTokenCount']);
  const output = numberOf(usage['outputTokens']);
  const read: Usage = {
    ...(fresh !== undefined && { input: fresh + (cached ?? 0) + (cacheWrite ?? 0) }),
    ...(cached !== undefined && { cached }),
    ...(cacheWrite !== undefined && { cacheWrite }),
    ...(output !== undefined && { output }),
  };
  if (Object.keys(read).length === 0) return undefined;
  const hours = objectsIn(usage['cacheDetails']).filter(({ ttl }) => ttl === '1h');
  const units = unitsOf(
    ...hours.map(({ inputTokens }) => ['cache_write_1h', numberOf(inputTokens)] as const),
  );
  return billed(read, units, tierOf(objectOf(serviceTier)?.['type']));
}
