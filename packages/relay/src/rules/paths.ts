import { compileWildcards } from '@floe/conditions/wildcards';
import { ANY_TEXT, directoryOfAllEntries, hasWildcard, patternsOverlap } from '../shell/glob.ts';
import type { MatchResult } from './match-result.ts';

/** Where a path stands, as far as that is known. */
export interface PathContext {
  /** Directories the path may be relative to; none when nobody can tell. */
  readonly directories: readonly string[];
  readonly home: string | null;
}

/** A path in the form in which rules compare it, for each directory it may be relative to. */
export interface NormalizedPath {
  /** Absolute, or from `~`; empty for a relative path of which nobody knows where. */
  readonly absolute: readonly string[];
  /** As it was written, cleaned. */
  readonly written: string;
  /** Whether it has wildcards (shell/glob.ts). */
  readonly isPattern: boolean;
}

const HOME_DIRECTORIES = /^(?:\/home\/[^/]+|\/Users\/[^/]+|\/root|\/var\/root|[a-z]:\/Users\/[^/]+)(?=\/|$)/i;
/** Other ways to say `/` and the working directory, and where macOS keeps what has short names. */
const PATH_ALIASES: readonly (readonly [RegExp, string])[] = [
  [/^\/proc\/(?:self|thread-self|\d+)\/root(?=\/|$)/, ''],
  [/^\/proc\/(?:self|thread-self|\d+)\/cwd\//, './'],
  [/^\/private(?=\/(?:etc|tmp|var)(?:\/|$))/, ''],
  [/^\/System\/Volumes\/Data(?=\/)/, ''],
  [/^\/dev\/fd\/\.\.\//, '/'],
];

/**
 * Brings a path into one form: no `.`, `..` or doubled slashes, `~` for any home directory. Links of the file system
 * are not followed: the machine they are on is another one. All entries of a directory (`/etc/*`) count as the directory, too.
 */
export function normalizePath(path: string, context: PathContext): NormalizedPath {
  const one = normalizeOne(path, context);
  const directory = directoryOfAllEntries(one.written);
  if (directory === null) return one;
  return { ...one, absolute: [...one.absolute, ...normalizeOne(directory, context).absolute] };
}

function normalizeOne(path: string, { directories, home }: PathContext): NormalizedPath {
  const written = resolveAliases(cleanSegments(path.replaceAll('\\', '/').replace(/^file:\/\//, '')));
  const isPattern = hasWildcard(written);
  if (isAbsolute(written))
    return { absolute: [abbreviateHome(written, home), ...possibleHomePaths(written)], written, isPattern };
  const absolute = directories.map((directory) =>
    abbreviateHome(cleanSegments(`${directory}/${written}`), home),
  );
  return { absolute, written, isPattern };
}

function isAbsolute(path: string): boolean {
  return /^(?:\/|~|[a-zA-Z]:\/)/.test(path);
}

function resolveAliases(path: string): string {
  let out = path;
  for (const [pattern, instead] of PATH_ALIASES) out = out.replace(pattern, instead);
  return out === '' && path !== '' ? '/' : out;
}

function abbreviateHome(path: string, home: string | null): string {
  if (home !== null && home !== '/' && (path === home || path.startsWith(`${home}/`)))
    return `~${path.slice(home.length)}`;
  // `~user` is a home too.
  return path.replace(HOME_DIRECTORIES, '~').replace(/^~[\w.-]+(?=\/|$)/, '~');
}

/** What nobody knows of a path may be the way into a home directory. */
function possibleHomePaths(path: string): string[] {
  const at = path.indexOf(ANY_TEXT);
  return at === -1 || path.startsWith('~') ? [] : [`~/${path.slice(at)}`];
}

function cleanSegments(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else if (!path.startsWith('/')) parts.push('..');
  }
  return (path.startsWith('/') ? '/' : '') + parts.join('/');
}

export type PathMatcher = (path: NormalizedPath) => MatchResult;

/** Compiles patterns of paths: from `/` or `~`, or of a name in any directory. A directory is what stands in it, too. */
export function compilePathPatterns(patterns: readonly string[]): PathMatcher {
  const anchored: string[] = [];
  const floating: string[] = [];
  for (const given of patterns) {
    const pattern = given.replace(/^\$HOME(?=\/|$)/, '~').replace(/^(?:\*\*?\/)+/, '');
    const forms = pattern.endsWith('/*') ? [pattern, pattern.slice(0, -2) || '/'] : [pattern];
    if (isAbsolute(pattern)) anchored.push(...forms.map((form) => abbreviateHome(form, null)));
    else floating.push(...forms.flatMap((form) => [form, `*/${form}`]));
  }
  const isAnchored = compileWildcards(anchored);
  const isFloating = compileWildcards(floating);
  // Of a relative path without a place: it may be any of these that end like it.
  const tails = anchored.map((pattern) => pattern.replace(/^[^/]*\//, ''));
  const isTail = compileWildcards(tails.flatMap((tail) => [tail, `*/${tail}`]));
  return ({ absolute, written, isPattern }) => {
    if (isPattern) return matchPatterns([...absolute, written], [...anchored, ...floating]);
    if (absolute.some((path) => isAnchored(path) || isFloating(path)) || isFloating(written)) return 'yes';
    return absolute.length === 0 && isTail(written) ? 'maybe' : 'no';
  };
}

/** A pattern that can only stand for what a rule names is it; others may be. */
function matchPatterns(paths: readonly string[], patterns: readonly string[]): MatchResult {
  let best: MatchResult = 'no';
  for (const path of paths)
    for (const pattern of patterns)
      if (patternsOverlap(pattern, path)) {
        if (!path.includes(ANY_TEXT)) return 'yes';
        best = 'maybe';
      }
  return best;
}
