import type { JsonObject } from '@floe/contract/json';
import type { CacheBreakpoint, ContentPart, ConversationTurn } from './request.ts';
import { type RequestReadContext, readCacheBreakpoint } from './request-read-context.ts';

/** A part that can have a cache breakpoint. */
export type CacheablePart = Exclude<ContentPart, { type: 'reasoning' | 'refusal' }>;

/** Returns whether a part can have a cache breakpoint. Reasoning and refusals cannot. */
export function isCacheablePart(part: ContentPart): part is CacheablePart {
  return part.type !== 'reasoning' && part.type !== 'refusal';
}

/**
 * Sets a cache breakpoint on the last part of a turn that can have one. Keeps an existing
 * breakpoint.
 */
export function addTurnCacheBreakpoint(
  turn: ConversationTurn,
  cache: CacheBreakpoint | undefined,
): ConversationTurn {
  if (cache === undefined) return turn;
  const at = turn.parts.findLastIndex(isCacheablePart);
  const part = turn.parts[at];
  if (part === undefined || !isCacheablePart(part) || part.cache !== undefined) return turn;
  return { role: turn.role, parts: turn.parts.with(at, { ...part, cache }) };
}

/** Applies a request's `cache_control` to the last turn, at its last part that can have a breakpoint. */
export function applyRequestCacheControl(
  turns: readonly ConversationTurn[],
  body: JsonObject,
  draft: RequestReadContext,
): readonly ConversationTurn[] {
  const last = turns.at(-1);
  if (last === undefined || body['cache_control'] === undefined) return turns;
  return turns.with(-1, addTurnCacheBreakpoint(last, readCacheBreakpoint(body, draft)));
}
