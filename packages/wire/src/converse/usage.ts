import type { Json, JsonObject } from '@floe/contract/json';
import { numberOf, objectOf, objectsIn } from '../json-read.ts';
import { addCount, tierOf } from '../units.ts';
import { reportedUnits, type Usage } from '../usage.ts';

/** Reads a Converse `usage`: cache reads and writes stand beside `inputTokens`, so the whole input is the sum. */
export function readConverseUsage(usage: JsonObject, serviceTier?: Json): Usage | undefined {
  const fresh = numberOf(usage['inputTokens']);
  const cached = numberOf(usage['cacheReadInputTokens']) ?? numberOf(usage['cacheReadInputTokenCount']);
  const written = numberOf(usage['cacheWriteInputTokens']) ?? numberOf(usage['cacheWriteInputTokenCount']);
  const units = reportedUnits({
    input: fresh === undefined ? undefined : fresh + (cached ?? 0) + (written ?? 0),
    cached,
    cache_write: written,
    output: numberOf(usage['outputTokens']),
    reasoning: undefined,
  });
  if (units === undefined) return undefined;
  for (const { ttl, inputTokens } of objectsIn(usage['cacheDetails']))
    if (ttl === '1h') addCount(units, 'cache_write_1h', numberOf(inputTokens));
  return { units, tier: tierOf(objectOf(serviceTier)?.['type']) };
}
