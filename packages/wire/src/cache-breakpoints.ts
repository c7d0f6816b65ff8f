import type { RequestWriteOptions } from './dialect.ts';
import type { CanonicalRequest, ContentPart, ConversationTurn, ToolDefinition } from './request.ts';
import { isCacheablePart } from './turn-breakpoints.ts';

/** Maximum number of cache breakpoints that providers accept. */
const MAX_BREAKPOINTS = 4;
/**
 * Dense text, such as code and CJK, has about two characters per token. A superfluous breakpoint costs
 * nothing; a missing one does.
 */
const CHARACTERS_PER_TOKEN = 2;
const ATTACHMENT_CHARACTERS = 2_000;
const DEFAULT_BREAKPOINT = { cache: '' } as const;

/**
 * Returns the request with cache breakpoints. Keeps up to four breakpoints that the client set. If the client set
 * none and `options` contains `cacheMinTokens`, adds breakpoints after the tools, after the system prompt and after
 * the last two user turns. The next request in the conversation then has a breakpoint at the same place and finds
 * the cached prompt.
 */
export function applyCacheBreakpoints(
  request: CanonicalRequest,
  options: RequestWriteOptions,
  dropped: Set<string>,
): CanonicalRequest {
  const given = countBreakpoints(request);
  if (given > 0)
    return given <= MAX_BREAKPOINTS ? request : clampBreakpoints(request, given - MAX_BREAKPOINTS, dropped);
  if (options.cacheMinTokens === undefined) return request;
  return addBreakpoints(request, options.cacheMinTokens * CHARACTERS_PER_TOKEN);
}

function addBreakpoints(request: CanonicalRequest, least: number): CanonicalRequest {
  const { tools, system, turns } = request;
  const toolsEnd = estimateCharacters(tools, least);
  const systemEnd = toolsEnd + estimateCharacters(system, least - toolsEnd);
  const places = userTurnIndexes(request);
  const long = places.filter((at) => reachesSize(turns.slice(0, at + 1), least - systemEnd));
  return {
    ...request,
    tools: toolsEnd >= least ? updateLast(tools, () => true, DEFAULT_BREAKPOINT) : tools,
    system: systemEnd >= least ? updateLast(system, hasText, DEFAULT_BREAKPOINT) : system,
    turns:
      long.length === 0 ? turns : turns.map((turn, at) => (long.includes(at) ? markTurnEnd(turn) : turn)),
  };
}

/**
 * Returns the last turn and the user turn before the last assistant turn. A single request without tools is
 * not continued, so only its tools and system prompt are worth caching.
 */
function userTurnIndexes({ turns, tools }: CanonicalRequest): number[] {
  const spoke = turns.findLastIndex(({ role }) => role === 'assistant');
  if (spoke === -1 && tools.length === 0) return [];
  const last = turns.findLastIndex(isCacheableTurn);
  const before = turns.findLastIndex(
    (turn, at) => at < spoke && turn.role === 'user' && isCacheableTurn(turn),
  );
  return [before, last].filter((at) => at !== -1);
}

function isCacheableTurn({ parts }: ConversationTurn): boolean {
  return parts.some(acceptsBreakpoint);
}

/** Blank text is removed, together with its breakpoint. */
function acceptsBreakpoint(part: ContentPart): boolean {
  return isCacheablePart(part) && (part.type !== 'text' || hasText(part));
}

function hasText({ text }: { readonly text: string }): boolean {
  return text.trim() !== '';
}

function markTurnEnd(turn: ConversationTurn): ConversationTurn {
  return { role: turn.role, parts: updateLast(turn.parts, acceptsBreakpoint, DEFAULT_BREAKPOINT) };
}

function updateLast<Item>(
  items: readonly Item[],
  bears: (item: Item) => boolean,
  more: Partial<Item> & object,
): readonly Item[] {
  const at = items.findLastIndex(bears);
  const item = items[at];
  return item === undefined ? items : items.with(at, { ...item, ...more });
}

function reachesSize(turns: readonly ConversationTurn[], least: number): boolean {
  let left = least;
  for (const { parts } of turns) {
    if (left <= 0) return true;
    left -= estimateCharacters(parts, left);
  }
  return left <= 0;
}

/** Returns the approximate number of characters. Stops counting at `enough`. */
function estimateCharacters(items: readonly (ContentPart | ToolDefinition)[], enough: number): number {
  let size = 0;
  for (const item of items) {
    if (size >= enough) break;
    if ('text' in item) size += item.text.length;
    else if ('input' in item) size += item.input.length;
    else if ('parts' in item) size += estimateCharacters(item.parts, enough - size);
    else if ('source' in item) size += ATTACHMENT_CHARACTERS;
    else
      size += (item.description?.length ?? 0) + ('schema' in item ? JSON.stringify(item.schema).length : 0);
  }
  return size;
}

function countBreakpoints({ tools, system, turns }: CanonicalRequest): number {
  let marks = 0;
  for (const tool of tools) if (tool.cache !== undefined) marks += 1;
  for (const part of system) if (part.cache !== undefined) marks += 1;
  for (const { parts } of turns) marks += countPartBreakpoints(parts);
  return marks;
}

function countPartBreakpoints(parts: readonly ContentPart[]): number {
  let marks = 0;
  for (const part of parts) {
    if ('cache' in part && part.cache !== undefined) marks += 1;
    if (part.type === 'result') marks += countPartBreakpoints(part.parts);
  }
  return marks;
}

/** Removes the first `surplus` breakpoints. A later breakpoint caches the same content. */
function clampBreakpoints(
  request: CanonicalRequest,
  surplus: number,
  dropped: Set<string>,
): CanonicalRequest {
  dropped.add('cache_control.clamped');
  let left = surplus;
  const bare = <Item extends { readonly cache?: unknown }>(item: Item): Item => {
    if (left === 0 || item.cache === undefined) return item;
    left -= 1;
    return { ...item, cache: undefined };
  };
  const part = (one: ContentPart): ContentPart => {
    if (!isCacheablePart(one)) return one;
    return bare(one.type === 'result' ? { ...one, parts: one.parts.map(bare) } : one);
  };
  return {
    ...request,
    tools: request.tools.map(bare),
    system: request.system.map(bare),
    turns: request.turns.map(({ role, parts }) => ({ role, parts: parts.map(part) })),
  };
}
