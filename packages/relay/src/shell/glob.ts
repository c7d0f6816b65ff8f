// Patterns of file names. Each wildcard is one character of Unicode's private use area.

/**
 * The wildcard that matches any characters. It represents a part that is unknown until the command
 * runs.
 */
export const ANY_TEXT_WILDCARD = '\uE000';
/** `*`: any characters of one name. */
const ANY_NAME_CHARACTERS = '\uE001';
/** `?`, `[…]`: one character of a name. */
const ANY_NAME_CHARACTER = '\uE002';
/** The same at the start of a name, where neither matches a dot. */
const ANY_VISIBLE_CHARACTERS = '\uE003';
const ANY_VISIBLE_CHARACTER = '\uE004';
/** `*` at the start of a name if `dotglob` is set. */
const ANY_DOTTED_CHARACTERS = '\uE005';

const WILDCARD = /[\uE000-\uE005]/;
const GLOB = /\[[!^]?\]?(?:\[[:.=][a-z]{1,10}[:.=]\]|[^\]/])*\]|[*?]/g;

/** Returns whether a pattern contains wildcards. */
export function hasWildcard(text: string): boolean {
  return WILDCARD.test(text);
}

/** Returns whether a pattern is entirely unknown. `/` alone is known, because it is the root. */
export function isUnknownPattern(pattern: string): boolean {
  return /^(?:\/*\uE000[\uE000/]*)?$/.test(pattern);
}

/**
 * Converts a shell glob (`*`, `?`, `[…]`) to a pattern with the wildcards of this module.
 *
 * @param isStart whether the text is at the start of a file name
 * @param dotglob whether wildcards match a dot at the start of a file name
 */
export function globToWordPattern(text: string, isStart: boolean, dotglob: boolean): string {
  return text.replaceAll(GLOB, (token, at: number) => {
    const begins = at === 0 ? isStart : text.charAt(at - 1) === '/';
    if (token === '*')
      return begins ? (dotglob ? ANY_DOTTED_CHARACTERS : ANY_VISIBLE_CHARACTERS) : ANY_NAME_CHARACTERS;
    return begins && !dotglob ? ANY_VISIBLE_CHARACTER : ANY_NAME_CHARACTER;
  });
}

/**
 * Converts the file name filter of a search, such as `--include=*.ts`, to a pattern. Unlike the shell, a search also
 * compares `*` with names that start with a dot, so `*env` matches `.env`. It must not match every rule for such names:
 * a search in `*.ts` is not for files such as `.env.ts`.
 */
export function filterToWordPattern(filter: string): string {
  return globToWordPattern(filter, true, true).replaceAll(
    /\uE005(\.?)/g,
    (_, dot) => `${dot === '' ? ANY_NAME_CHARACTERS : ANY_VISIBLE_CHARACTERS}${dot}`,
  );
}

/**
 * Returns code with unknown parts, in which a variable stands for each of them, as in `rm -r $file` for
 * `xargs -I{} sh -c 'rm -r {}'`. Returns null if no part of the code is known.
 */
export function toCodeWithVariables(pattern: string): string | null {
  return isUnknownPattern(pattern.trim()) ? null : pattern.replaceAll(/[\uE000-\uE005]+/g, '$file');
}

/** Maximum length of patterns that are compared by character. */
const MAX_CHARACTERS = 600;

/**
 * Returns whether a word's pattern and a rule's pattern can match the same string. In the rule's
 * pattern, `*` matches any string. Returns false if only unknown parts of the word would match,
 * because the word must contain a part of the rule's text.
 */
export function canMatchSameText(rule: string, word: string): boolean {
  if (word.length > MAX_CHARACTERS || rule.length > MAX_CHARACTERS) return true;
  if (!suffixesMatch(rule, word)) return false;
  // Bit 1: reached; bit 2: reached with a written part.
  let row = new Uint8Array(word.length + 2);
  row[0] = 1;
  for (let at = 0; at <= rule.length; at += 1) {
    const next = new Uint8Array(word.length + 2);
    advanceOverlap({ rule, word, row, next, at });
    if (at === rule.length) break;
    row = next;
  }
  const reached = row[word.length] ?? 0;
  // A rule such as `~/*` has no characters that a word could contain.
  return (reached & 2) !== 0 || (reached !== 0 && /^[/~*]+$/.test(rule) && /^[/~][^\uE000]*$/.test(word));
}

/**
 * Returns the directory if a pattern matches all of its entries, such as `/etc` for `/etc/*`. Returns null for other
 * patterns.
 */
export function findFullyMatchedDirectory(pattern: string): string | null {
  const [, directory] = /^(.*?)\/*(?:(?<=\/|^)[\uE001\uE003\uE005])$/s.exec(pattern) ?? [];
  if (directory === undefined) return null;
  return directory === '' ? (pattern.startsWith('/') ? '/' : '.') : directory;
}

/** Whether the suffixes after the last wildcards match. This rejects most pairs quickly. */
function suffixesMatch(rule: string, word: string): boolean {
  const length = Math.min(literalEnd(rule, /\*/), literalEnd(word, WILDCARD));
  return rule.slice(rule.length - length).toLowerCase() === word.slice(word.length - length).toLowerCase();
}

function literalEnd(text: string, wildcard: RegExp): number {
  let length = 0;
  while (length < text.length && !wildcard.test(text.charAt(text.length - 1 - length))) length += 1;
  return length;
}

/** The states after `at` characters of the rule, by the number of characters of the word. */
interface OverlapStep {
  readonly rule: string;
  readonly word: string;
  readonly row: Uint8Array;
  readonly next: Uint8Array;
  readonly at: number;
}

/** The work is proportional to the length of the word, without an allocation for each character. */
function advanceOverlap({ rule, word, row, next, at }: OverlapStep): void {
  const char = rule.charAt(at);
  const isStart = at === 0 || rule.charAt(at - 1) === '/';
  for (let n = 0; n <= word.length; n += 1) {
    const state = row[n] ?? 0;
    if (state === 0) continue;
    const token = word.charAt(n);
    const repeats = REPEATING.has(token);
    if (repeats || (char === '*' && token !== '')) row[n + 1] = (row[n + 1] ?? 0) | state;
    if (char === '*') next[n] = (next[n] ?? 0) | state;
    if (char === '*' || char === '' || token === '' || !wildcardMatches(token, char, isStart)) continue;
    const isSpelled = token === ANY_DOTTED_CHARACTERS || (!isWildcard(token) && char !== '/' && char !== '~');
    const to = repeats ? n : n + 1;
    next[to] = (next[to] ?? 0) | state | (isSpelled ? 3 : 0);
  }
}

/** Wildcards that match any number of characters. */
const REPEATING: ReadonlySet<string> = new Set([
  ANY_TEXT_WILDCARD,
  ANY_NAME_CHARACTERS,
  ANY_VISIBLE_CHARACTERS,
  ANY_DOTTED_CHARACTERS,
]);

function isWildcard(token: string): boolean {
  return token >= ANY_TEXT_WILDCARD && token <= ANY_DOTTED_CHARACTERS;
}

/** Whether a character of a word can match one of a rule. */
function wildcardMatches(token: string, char: string, isStart: boolean): boolean {
  switch (token) {
    case ANY_TEXT_WILDCARD:
      return true;
    case ANY_NAME_CHARACTERS:
    case ANY_NAME_CHARACTER:
    case ANY_DOTTED_CHARACTERS:
      return char !== '/';
    case ANY_VISIBLE_CHARACTERS:
    case ANY_VISIBLE_CHARACTER:
      return char !== '/' && !(isStart && char === '.');
    default:
      return token.toLowerCase() === char.toLowerCase();
  }
}
