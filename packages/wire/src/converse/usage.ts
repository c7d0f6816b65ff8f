import type { JsonObject } from '@floe/contract/json';
import { numberOf } from '../json-read.ts';
import type { Usage } from '../usage.ts';

/** Reads a Converse `usage`: cache reads and writes stand beside `inputTokens`, so the whole input is the sum. */
export function readConverseUsage(usage: JsonObject): Usage | undefined {
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
  return Object.keys(read).length === 0 ? undefined : read;
}
