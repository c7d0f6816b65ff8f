import type { JsonObject } from '@floe/contract/json';
import { addBilledUnitCount, parseServiceTier } from '../billed-unit-counts.ts';
import { asNumber, asObjects } from '../json-narrowing.ts';
import { toUnitCounts, type Usage } from '../usage.ts';

/** Units of each modality in the lists of details. Documents count as images. */
const MEDIA = [
  { list: 'promptTokensDetails', modalities: ['AUDIO'], unit: 'input_audio' },
  { list: 'promptTokensDetails', modalities: ['IMAGE', 'DOCUMENT'], unit: 'input_image' },
  { list: 'promptTokensDetails', modalities: ['VIDEO'], unit: 'input_video' },
  { list: 'cacheTokensDetails', modalities: ['AUDIO'], unit: 'cached_audio' },
  { list: 'cacheTokensDetails', modalities: ['IMAGE', 'DOCUMENT'], unit: 'cached_image' },
  { list: 'candidatesTokensDetails', modalities: ['AUDIO'], unit: 'output_audio' },
  { list: 'candidatesTokensDetails', modalities: ['IMAGE'], unit: 'output_image' },
] as const;

/**
 * Reads `usageMetadata` in a Gemini response. Candidate tokens exclude thinking tokens, so the
 * output is the sum of both. Prompt tokens include cached tokens.
 */
export function readGeminiUsage(usage: JsonObject): Usage | undefined {
  const prompt = asNumber(usage['promptTokenCount']);
  const candidates = asNumber(usage['candidatesTokenCount']);
  const thoughts = asNumber(usage['thoughtsTokenCount']);
  const units = toUnitCounts({
    input: prompt === undefined ? undefined : prompt + (asNumber(usage['toolUsePromptTokenCount']) ?? 0),
    cached: asNumber(usage['cachedContentTokenCount']),
    cache_write: undefined,
    output: candidates === undefined ? thoughts : candidates + (thoughts ?? 0),
    reasoning: thoughts,
  });
  if (units === undefined) return undefined;
  for (const { list, modalities, unit } of MEDIA)
    for (const { modality, tokenCount } of asObjects(usage[list]))
      if (modalities.some((name) => name === modality)) addBilledUnitCount(units, unit, asNumber(tokenCount));
  return { units, tier: parseServiceTier(usage['serviceTier']) ?? parseServiceTier(usage['trafficType']) };
}
