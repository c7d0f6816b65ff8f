import type { JsonObject } from '@floe/contract/json';
import type { CacheBreakpoint, ContentPart, ConversationTurn } from './request.ts';
import { readCacheBreakpoint } from './request-draft.ts';

export type CacheablePart = Exclude<ContentPart, { type: 'reasoning' | 'refusal' }>;

/** Reasoning cannot be marked, and a refusal has no form for it. */
export function isCacheablePart(part: ContentPart): part is CacheablePart {
  return part.type !== 'reasoning' && part.type !== 'refusal';
}

/** The turn with a mark on its last part that can carry one; a mark that stands there already stays. */
export function withTurnBreakpoint(
  turn: ConversationTurn,
  cache: CacheBreakpoint | undefined,
): ConversationTurn {
  if (cache === undefined) return turn;
  const at = turn.parts.findLastIndex(isCacheablePart);
  const part = turn.parts[at];
  if (part === undefined || !isCacheablePart(part) || part.cache !== undefined) return turn;
  return { role: turn.role, parts: turn.parts.with(at, { ...part, cache }) };
}

/** A `cache_control` of the request itself marks the last part that can carry a mark. */
export function withFinalBreakpoint(
  turns: readonly ConversationTurn[],
  body: JsonObject,
): readonly ConversationTurn[] {
  const last = turns.at(-1);
  if (last === undefined || body['cache_control'] === undefined) return turns;
  return turns.with(-1, withTurnBreakpoint(last, readCacheBreakpoint(body)));
}
