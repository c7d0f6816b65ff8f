import type { JsonObject } from '@floe/contract/json';
import { cacheMark } from './ask-draft.ts';
import type { CacheMark, Part, Turn } from './request.ts';

export type MarkablePart = Exclude<Part, { type: 'reasoning' | 'refusal' }>;

/** Reasoning cannot be marked, and a refusal has no form for it. */
export function takesMark(part: Part): part is MarkablePart {
  return part.type !== 'reasoning' && part.type !== 'refusal';
}

/** The turn with a mark on its last part that can carry one; a mark that stands there already stays. */
export function markedTurn(turn: Turn, cache: CacheMark | undefined): Turn {
  if (cache === undefined) return turn;
  const at = turn.parts.findLastIndex(takesMark);
  const part = turn.parts[at];
  if (part === undefined || !takesMark(part) || part.cache !== undefined) return turn;
  return { role: turn.role, parts: turn.parts.with(at, { ...part, cache }) };
}

/** A `cache_control` of the request itself marks the last part that can carry a mark. */
export function markLast(turns: readonly Turn[], body: JsonObject): readonly Turn[] {
  const last = turns.at(-1);
  if (last === undefined || body['cache_control'] === undefined) return turns;
  return turns.with(-1, markedTurn(last, cacheMark(body)));
}
