// Patterns of file names. Each wildcard is one character of Unicode's private use area.

/**
 * The wildcard that matches any characters. It represents a part that is unknown until the command
 * runs.
 */
export const ANY_TEXT_WILDCARD = '\uE000';
/** `*`: any characters of one name. */
export const ANY_NAME_CHARACTERS = '\uE001';
/** `?`, `[…]`: one character of a name. */
export const ANY_NAME_CHARACTER = '\uE002';
/** The same at the start of a name, where neither matches a dot. */
export const ANY_VISIBLE_CHARACTERS = '\uE003';
export const ANY_VISIBLE_CHARACTER = '\uE004';
/** `*` at the start of a name if `dotglob` is set. */
export const ANY_VISIBLE_OR_HIDDEN_CHARACTERS = '\uE005';

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
      return begins
        ? dotglob
          ? ANY_VISIBLE_OR_HIDDEN_CHARACTERS
          : ANY_VISIBLE_CHARACTERS
        : ANY_NAME_CHARACTERS;
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

/**
 * Returns the directory if a pattern matches all of its entries, such as `/etc` for `/etc/*`. Returns null for other
 * patterns.
 */
export function findFullyMatchedDirectory(pattern: string): string | null {
  const [, directory] = /^(.*?)\/*(?:(?<=\/|^)[\uE001\uE003\uE005])$/s.exec(pattern) ?? [];
  if (directory === undefined) return null;
  return directory === '' ? (pattern.startsWith('/') ? '/' : '.') : directory;
}
