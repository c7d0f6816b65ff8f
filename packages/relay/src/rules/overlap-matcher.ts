import type { StepMeter } from '@floe/conditions/step-meter';
import {
  ANY_NAME_CHARACTER,
  ANY_NAME_CHARACTERS,
  ANY_TEXT_WILDCARD,
  ANY_VISIBLE_CHARACTER,
  ANY_VISIBLE_CHARACTERS,
  ANY_VISIBLE_OR_HIDDEN_CHARACTERS,
} from '../shell/glob.ts';

/** Returns whether the pattern of a word can match the same string as at least one pattern of a rule. */
export type OverlapMatcher = (word: string, steps: StepMeter) => boolean;

/** Longer patterns are not compared, and count as a match. */
const MAX_CHARACTERS = 600;
/** Comparisons of two characters that take as long as one step. */
const COMPARISONS_PER_STEP = 16;

const STAR = 42;
const SLASH = 47;
const DOT = 46;
const TILDE = 126;
const ANY_TEXT = ANY_TEXT_WILDCARD.charCodeAt(0);
const NAME_CHARACTERS = ANY_NAME_CHARACTERS.charCodeAt(0);
const NAME_CHARACTER = ANY_NAME_CHARACTER.charCodeAt(0);
const VISIBLE_CHARACTERS = ANY_VISIBLE_CHARACTERS.charCodeAt(0);
const VISIBLE_CHARACTER = ANY_VISIBLE_CHARACTER.charCodeAt(0);
const DOTTED_CHARACTERS = ANY_VISIBLE_OR_HIDDEN_CHARACTERS.charCodeAt(0);

/** A pattern as lowercase character codes. */
interface PatternCodes {
  readonly text: string;
  readonly codes: Uint16Array;
  /** The text after the last wildcard, in lower case. */
  readonly suffix: string;
}

/**
 * Returns a matcher for patterns of a rule, in which `*` matches any string. The word may contain the wildcards of
 * glob.ts. The matcher returns false if only unknown parts of the word would match, because the word must contain a
 * part of the rule's text. It throws StepLimitExceededError if the comparison needs more steps than remain.
 */
export function compileOverlapMatcher(patterns: readonly string[]): OverlapMatcher {
  const rules = patterns.map((text) => toPatternCodes(text, (code) => code === STAR));
  return (text, steps) => {
    if (rules.length === 0) return false;
    if (text.length > MAX_CHARACTERS) return true;
    steps.charge(Math.ceil(rules.length / 4));
    const word = toPatternCodes(text, isWildcard);
    return rules.some((rule) => canMatchSameText(rule, word, steps));
  };
}

function toPatternCodes(text: string, isPatternWildcard: (code: number) => boolean): PatternCodes {
  const codes = new Uint16Array(text.length);
  let suffixStart = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (isPatternWildcard(code)) suffixStart = at + 1;
    const lower = text.charAt(at).toLowerCase();
    codes[at] = lower.length === 1 ? lower.charCodeAt(0) : code;
  }
  return { text, codes, suffix: text.slice(suffixStart).toLowerCase() };
}

function canMatchSameText(rule: PatternCodes, word: PatternCodes, steps: StepMeter): boolean {
  if (rule.text.length > MAX_CHARACTERS) return true;
  // These two checks reject most pairs.
  const [first, start] = [rule.codes[0], word.codes[0]];
  if (first !== start && first !== STAR && start !== undefined && !isWildcard(start)) return false;
  if (!rule.suffix.endsWith(word.suffix) && !word.suffix.endsWith(rule.suffix)) return false;
  const size = word.codes.length;
  // Bit 1: reached; bit 2: reached with a written part.
  const row = new Uint8Array(size + 2);
  row[0] = 1;
  const states: OverlapStates = { row, next: new Uint8Array(size + 2), from: 0, to: 0 };
  for (let at = 0; at <= rule.codes.length; at += 1) {
    steps.charge((states.to - states.from + 1) / COMPARISONS_PER_STEP);
    advanceOverlap(rule.codes, word.codes, at, states);
    if (states.to < states.from) return false;
  }
  const reached = states.row[size] ?? 0;
  if ((reached & 2) !== 0) return true;
  // A rule such as `~/*` has no characters that a word could contain.
  return reached !== 0 && /^[/~*]+$/.test(rule.text) && /^[/~][^\uE000]*$/.test(word.text);
}

/** The states after some characters of the rule, by the number of characters of the word. */
interface OverlapStates {
  row: Uint8Array;
  next: Uint8Array;
  /** The first and the last index of `row` with a state. */
  from: number;
  to: number;
}

/** Reads one character of the rule, or only the rest of the word after the last character of the rule. */
function advanceOverlap(rule: Uint16Array, word: Uint16Array, at: number, states: OverlapStates): void {
  const { row, next } = states;
  const char = rule[at];
  const isStar = char === STAR;
  const isStart = at === 0 || rule[at - 1] === SLASH;
  let { to } = states;
  let first = row.length;
  let last = -1;
  for (let n = states.from; n <= to; n += 1) {
    const state = row[n] ?? 0;
    if (state === 0) continue;
    const token = word[n];
    const repeats = token !== undefined && isRepeating(token);
    if (repeats || (isStar && token !== undefined)) {
      row[n + 1] = (row[n + 1] ?? 0) | state;
      if (n === to) to = n + 1;
    }
    if (char === undefined) continue;
    let target = n;
    let added = state;
    if (!isStar) {
      if (token === undefined || !wildcardMatches(token, char, isStart)) continue;
      const isWritten =
        token === DOTTED_CHARACTERS || (!isWildcard(token) && char !== SLASH && char !== TILDE);
      target = repeats ? n : n + 1;
      if (isWritten) added = 3;
    }
    next[target] = (next[target] ?? 0) | added;
    if (target < first) first = target;
    if (target > last) last = target;
  }
  if (char === undefined) {
    states.to = to;
    return;
  }
  row.fill(0, states.from, to + 1);
  states.row = next;
  states.next = row;
  states.from = first;
  states.to = last;
}

/** Whether a wildcard matches any number of characters. */
function isRepeating(token: number): boolean {
  return (
    token === ANY_TEXT ||
    token === NAME_CHARACTERS ||
    token === VISIBLE_CHARACTERS ||
    token === DOTTED_CHARACTERS
  );
}

function isWildcard(token: number): boolean {
  return token >= ANY_TEXT && token <= DOTTED_CHARACTERS;
}

/** Whether a character of a word can match one of a rule. */
function wildcardMatches(token: number, char: number, isStart: boolean): boolean {
  if (!isWildcard(token)) return token === char;
  if (token === ANY_TEXT) return true;
  if (char === SLASH) return false;
  if (token === VISIBLE_CHARACTERS || token === VISIBLE_CHARACTER) return !(isStart && char === DOT);
  return token === NAME_CHARACTERS || token === NAME_CHARACTER || token === DOTTED_CHARACTERS;
}
