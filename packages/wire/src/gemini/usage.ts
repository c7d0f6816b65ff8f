import type { JsonObject } from '@floe/contract/json';
import { numberOf } from '../json-read.ts';
import type { Usage } from '../usage.ts';

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
  return Object.keys(read).length === 0 ? undefined : read;
}
