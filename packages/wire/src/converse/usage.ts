import type { Json, JsonObject } from '@floe/contract/json';
import { addBilledUnitCount, parseServiceTier } from '../billed-unit-counts.ts';
import { asNumber, asObject, asObjects } from '../json-narrowing.ts';
import { toUnitCounts, type Usage } from '../usage.ts';

/**
 * Reads `usage` in a Converse response. `inputTokens` excludes cache reads and writes, so the total
 * input is the sum of all three.
 */
export function readConverseUsage(usage: JsonObject, serviceTier?: Json): Usage | undefined {
  const fresh = asNumber(usage['inputTokens']);
  const cached = asNumber(usage['cacheReadInputTokens']) ?? asNumber(usage['cacheReadInputTokenCount']);
  const written = asNumber(usage['cacheWriteInputTokens']) ?? asNumber(usage['cacheWriteInputTokenCount']);
  const units = toUnitCounts({
    input: fresh === undefined ? undefined : fresh + (cached ?? 0) + (written ?? 0),
    cached,
    cache_write: written,
    output: asNumber(usage['outputTokens']),
    reasoning: undefined,
  });
  if (units === undefined) return undefined;
  for (const { ttl, inputTokens } of asObjects(usage['cacheDetails']))
    if (ttl === '1h') addBilledUnitCount(units, 'cache_write_1h', asNumber(inputTokens));
  return { units, tier: parseServiceTier(asObject(serviceTier)?.['type']) };
}
