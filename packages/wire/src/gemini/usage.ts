import type { JsonObject } from '@floe/contract/json';
import { numberOf, objectsIn } from '../json-read.ts';
import { type BilledUnits, tierOf, unitsOf } from '../units.ts';
import { billed, type Usage } from '../usage.ts';

/** Reads `usageMetadata`: candidates leave thoughts out, so output is their sum; the prompt includes cached tokens. */
export function readGeminiUsage(usage: JsonObject): Usage | undefined {
  const prompt = numberOf(usage['promptTokenCount']);
  const tools = numberOf(usage['toolUsePromptTokenCount']);
  const candidates = numberOf(usage['candidatesTokenCount']);
  const thoughts = numberOf(usage['thoughtsTokenCount']);
  const cached = numberOf(usage['cachedContentTokenCount']);
  const read: Usage = {
    ...(prompt !== undefined && { input: prompt + (tools ?? 0) }),
    ...(cached !== undefined && { cached }),
    ...((candidates !== undefined || thoughts !== undefined) && {
      output: (candidates ?? 0) + (thoughts ?? 0),
    }),
    ...(thoughts !== undefined && { reasoning: thoughts }),
  };
  if (Object.keys(read).length === 0) return undefined;
  return billed(read, modalitiesIn(usage), tierOf(usage['serviceTier']) ?? tierOf(usage['trafficType']));
}

/** Documents are counted as images are. */
function modalitiesIn(usage: JsonObject): BilledUnits | undefined {
  const count = (list: string, ...modalities: string[]) =>
    objectsIn(usage[list])
      .filter(({ modality }) => modalities.includes(String(modality)))
      .reduce((sum, { tokenCount }) => sum + (numberOf(tokenCount) ?? 0), 0);
  return unitsOf(
    ['input_audio', count('promptTokensDetails', 'AUDIO')],
    ['input_image', count('promptTokensDetails', 'IMAGE', 'DOCUMENT')],
    ['input_video', count('promptTokensDetails', 'VIDEO')],
    ['cached_audio', count('cacheTokensDetails', 'AUDIO')],
    ['cached_image', count('cacheTokensDetails', 'IMAGE', 'DOCUMENT')],
    ['output_audio', count('candidatesTokensDetails', 'AUDIO')],
    ['output_image', count('candidatesTokensDetails', 'IMAGE')],
  );
}
