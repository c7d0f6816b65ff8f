import type { UpstreamOptions } from './dialect.ts';
import { takesMark } from './mark-turns.ts';
import type { Ask, Part, Tool, Turn } from './request.ts';

/** Most places of a prompt that providers cache. */
const MOST_MARKS = 4;
/** Dense text, code and CJK, is some two characters a token: a mark in vain costs nothing, a missing one does. */
const CHARACTERS_PER_TOKEN = 2;
const ATTACHMENT_CHARACTERS = 2_000;
const MARK = { cache: '' } as const;

/**
 * The request with its prompt marked for caching: where the client marked it, at most four times, else behind the
 * tools, behind the system prompt and behind the last two things a user or a tool said. The last of these is the one
 * before it in the next request of the conversation, so what was written is found again.
 */
export function withCacheMarks(ask: Ask, options: UpstreamOptions, dropped: Set<string>): Ask {
  const given = marksIn(ask);
  if (given > 0) return given <= MOST_MARKS ? ask : clamped(ask, given - MOST_MARKS, dropped);
  if (options.cacheMinTokens === undefined) return ask;
  return marked(ask, options.cacheMinTokens * CHARACTERS_PER_TOKEN);
}

function marked(ask: Ask, least: number): Ask {
  const { tools, system, turns } = ask;
  const toolsEnd = sizeOf(tools, least);
  const systemEnd = toolsEnd + sizeOf(system, least - toolsEnd);
  const places = userPlaces(ask);
  const long = places.filter((at) => isLong(turns.slice(0, at + 1), least - systemEnd));
  return {
    ...ask,
    tools: toolsEnd >= least ? withLast(tools, () => true, MARK) : tools,
    system: systemEnd >= least ? withLast(system, hasText, MARK) : system,
    turns: long.length === 0 ? turns : turns.map((turn, at) => (long.includes(at) ? endMarked(turn) : turn)),
  };
}

/**
 * The last turn, and the last one before the assistant spoke last. What is asked once, without tools, is not asked
 * again with more behind it: there only tools and system are worth their writing.
 */
function userPlaces({ turns, tools }: Ask): number[] {
  const spoke = turns.findLastIndex(({ role }) => role === 'assistant');
  if (spoke === -1 && tools.length === 0) return [];
  const last = turns.findLastIndex(isMarkable);
  const before = turns.findLastIndex((turn, at) => at < spoke && turn.role === 'user' && isMarkable(turn));
  return [before, last].filter((at) => at !== -1);
}

function isMarkable({ parts }: Turn): boolean {
  return parts.some(bearsMark);
}

/** Blank text goes, and its mark with it. */
function bearsMark(part: Part): boolean {
  return takesMark(part) && (part.type !== 'text' || hasText(part));
}

function hasText({ text }: { readonly text: string }): boolean {
  return text.trim() !== '';
}

function endMarked(turn: Turn): Turn {
  return { role: turn.role, parts: withLast(turn.parts, bearsMark, MARK) };
}

function withLast<Item>(
  items: readonly Item[],
  bears: (item: Item) => boolean,
  more: Partial<Item> & object,
): readonly Item[] {
  const at = items.findLastIndex(bears);
  const item = items[at];
  return item === undefined ? items : items.with(at, { ...item, ...more });
}

function isLong(turns: readonly Turn[], least: number): boolean {
  let left = least;
  for (const { parts } of turns) {
    if (left <= 0) return true;
    left -= sizeOf(parts, left);
  }
  return left <= 0;
}

/** Characters of what is sent, about; counted no further than to `enough`. */
function sizeOf(items: readonly (Part | Tool)[], enough: number): number {
  let size = 0;
  for (const item of items) {
    if (size >= enough) break;
    if ('text' in item) size += item.text.length;
    else if ('input' in item) size += item.input.length;
    else if ('parts' in item) size += sizeOf(item.parts, enough - size);
    else if ('source' in item) size += ATTACHMENT_CHARACTERS;
    else
      size += (item.description?.length ?? 0) + ('schema' in item ? JSON.stringify(item.schema).length : 0);
  }
  return size;
}

function marksIn({ tools, system, turns }: Ask): number {
  let marks = 0;
  for (const tool of tools) if (tool.cache !== undefined) marks += 1;
  for (const part of system) if (part.cache !== undefined) marks += 1;
  for (const { parts } of turns) marks += marksOf(parts);
  return marks;
}

function marksOf(parts: readonly Part[]): number {
  let marks = 0;
  for (const part of parts) {
    if ('cache' in part && part.cache !== undefined) marks += 1;
    if (part.type === 'result') marks += marksOf(part.parts);
  }
  return marks;
}

/** Without the first `surplus` marks of the prompt: what stands behind them is cached by the later ones too. */
function clamped(ask: Ask, surplus: number, dropped: Set<string>): Ask {
  dropped.add('cache_control.clamped');
  let left = surplus;
  const bare = <Item extends { readonly cache?: unknown }>(item: Item): Item => {
    if (left === 0 || item.cache === undefined) return item;
    left -= 1;
    return { ...item, cache: undefined };
  };
  const part = (one: Part): Part => {
    if (!takesMark(one)) return one;
    return bare(one.type === 'result' ? { ...one, parts: one.parts.map(bare) } : one);
  };
  return {
    ...ask,
    tools: ask.tools.map(bare),
    system: ask.system.map(bare),
    turns: ask.turns.map(({ role, parts }) => ({ role, parts: parts.map(part) })),
  };
}
