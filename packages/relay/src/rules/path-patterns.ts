import { StepLimitExceededError, type StepMeter } from '@floe/conditions/step-meter';
import { compileWildcards } from '@floe/conditions/wildcards';
import { ANY_TEXT_WILDCARD, findFullyMatchedDirectory, hasWildcard } from '../shell/glob.ts';
import type { MatchResult } from './match-result.ts';
import { compileOverlapMatcher, type OverlapMatcher } from './overlap-matcher.ts';

/**
 * The directories to which a path in an event may be relative: the possible working directories and the home
 * directory.
 */
export interface PathContext {
  /** Directories that the path may be relative to. Empty if unknown. */
  readonly directories: readonly string[];
  readonly home: string | null;
}

/** A normalized path. A relative path is resolved against each directory to which it may be relative. */
export interface NormalizedPath {
  /** Absolute paths, or paths from `~`. Empty for a relative path without a known directory. */
  readonly absolute: readonly string[];
  /** The path as written, normalized. */
  readonly written: string;
  /** Whether it contains wildcards (shell/glob.ts). */
  readonly isPattern: boolean;
}

/** A path that may be any path, so that it may match every pattern. */
export const ANY_PATH: NormalizedPath = { absolute: [], written: ANY_TEXT_WILDCARD, isPattern: true };

/** The path in the event of a file access whose file is unknown. It may be any path. */
export const UNKNOWN_FILE_PATH = 'unknown';

/** Steps for resolving a path against one directory, in addition to those for its characters. */
const STEPS_PER_DIRECTORY = 250;
const CHARACTERS_PER_STEP = 4;

const HOME_DIRECTORIES =
  /^(?:\/home\/[^/]+|\/Users\/[^/]+|\/root|\/var\/root|(?:\/mnt\/[a-z]|\/[a-z]|[a-z]:)\/Users\/[^/]+)(?=\/|$)/i;
/** Other names of `/` and of the working directory, the targets of macOS aliases, and Windows device paths. */
const PATH_ALIASES: readonly (readonly [RegExp, string])[] = [
  [/^\/proc\/(?:self|thread-self|\d+)(?:\/task\/\d+)?\/root(?=\/|$)/, ''],
  [/^\/proc\/(?:self|thread-self|\d+)(?:\/task\/\d+)?\/cwd\//, './'],
  [/^\/private(?=\/(?:etc|tmp|var)(?:\/|$))/, ''],
  [/^\/System\/Volumes\/Data(?=\/)/, ''],
  [/^\/dev\/fd\/\.\.\//, '/'],
  [/^\/[?.]\/(?=[a-z]:\/)/i, ''],
];

/** Returns how many steps the normalization of a path takes. */
export function countNormalizationSteps(path: string, { directories }: PathContext): number {
  const characters = directories.reduce(
    (sum, directory) => sum + directory.length + path.length,
    path.length,
  );
  return (directories.length + 1) * STEPS_PER_DIRECTORY + characters / CHARACTERS_PER_STEP;
}

/**
 * Normalizes a path. Removes `.`, `..` and double slashes, and replaces any home directory with `~`. Does not
 * resolve symbolic links, because the path is on another host. If a pattern matches all entries of a directory,
 * as in `/etc/*`, the result also contains the directory itself.
 */
export function normalizePath(path: string, context: PathContext): NormalizedPath {
  const one = normalizeOne(path, context);
  const directory = findFullyMatchedDirectory(one.written);
  if (directory === null) return one;
  return { ...one, absolute: [...one.absolute, ...normalizeOne(directory, context).absolute] };
}

function normalizeOne(path: string, { directories, home }: PathContext): NormalizedPath {
  const written = resolveAliases(cleanSegments(foldCharacters(decodeFileUrl(path.replaceAll('\\', '/')))));
  const isPattern = hasWildcard(written);
  if (isAbsolute(written))
    return { absolute: [abbreviateHome(written, home), ...possibleHomePaths(written)], written, isPattern };
  const absolute = directories.map((directory) =>
    abbreviateHome(cleanSegments(`${directory}/${written}`), home),
  );
  return { absolute, written, isPattern: isPattern || absolute.some(hasWildcard) };
}

function decodeFileUrl(path: string): string {
  if (!/^file:\/\//i.test(path)) return path;
  return path
    .slice('file://'.length)
    .replaceAll(/%([0-7][0-9a-f])/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));
}

/** File systems that ignore case treat `ſ` as `s`, and macOS treats composed and decomposed letters as equal. */
function foldCharacters(path: string): string {
  return path.normalize('NFC').replaceAll('ſ', 's');
}

function isAbsolute(path: string): boolean {
  return /^(?:\/|~|[a-zA-Z]:\/)/.test(path);
}

function resolveAliases(path: string): string {
  let out = path;
  // An alias can contain another alias.
  for (let before = ''; before !== out; ) {
    before = out;
    for (const [pattern, instead] of PATH_ALIASES) out = out.replace(pattern, instead);
  }
  return out === '' && path !== '' ? '/' : out;
}

function abbreviateHome(path: string, home: string | null): string {
  if (home !== null && home !== '/' && (path === home || path.startsWith(`${home}/`)))
    return `~${path.slice(home.length)}`;
  // `~user` is also a home directory.
  return path.replace(HOME_DIRECTORIES, '~').replace(/^~[\w.-]+(?=\/|$)/, '~');
}

/** The path relative to the home directory, because its unknown part may contain that directory. */
function possibleHomePaths(path: string): string[] {
  const at = path.indexOf(ANY_TEXT_WILDCARD);
  return at === -1 || path.startsWith('~') ? [] : [`~/${path.slice(at)}`];
}

/** Removes `.`, `..` and empty segments from a path. */
export function cleanSegments(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else if (!path.startsWith('/')) parts.push('..');
  }
  return (path.startsWith('/') ? '/' : '') + parts.join('/');
}

/** Matches one path. Returns `maybe` if the comparison needs more steps than remain. */
export type PathMatcher = (path: NormalizedPath, steps: StepMeter) => MatchResult;

/**
 * Returns a matcher for path patterns. A pattern starts with `/` or `~`, or is a name in any
 * directory. A pattern for a directory also matches everything in it.
 */
export function compilePathPatterns(patterns: readonly string[]): PathMatcher {
  const anchored: string[] = [];
  const floating: string[] = [];
  for (const given of patterns) {
    const pattern = foldCharacters(given)
      .replace(/^\$HOME(?=\/|$)/, '~')
      .replace(/^(?:\*\*?\/)+/, '');
    const forms = pattern.endsWith('/*') ? [pattern, pattern.slice(0, -2) || '/'] : [pattern];
    if (isAbsolute(pattern)) anchored.push(...forms.map((form) => abbreviateHome(form, null)));
    else floating.push(...forms.flatMap((form) => [form, `*/${form}`]));
  }
  const isAnchored = compileWildcards(anchored);
  const isFloating = compileWildcards(floating);
  const overlaps = compileOverlapMatcher([...anchored, ...floating]);
  // A relative path without a known directory may be any pattern with the same end.
  const tails = anchored.map((pattern) => pattern.replace(/^[^/]*\//, ''));
  const isTail = compileWildcards(tails.flatMap((tail) => [tail, `*/${tail}`]));
  return (path, steps) => {
    const { absolute, written, isPattern } = path;
    if (path === ANY_PATH) return 'maybe';
    if (isPattern) return matchUnknownPath([...absolute, written], overlaps, steps);
    if (absolute.some((path) => isAnchored(path) || isFloating(path)) || isFloating(written)) return 'yes';
    return absolute.length === 0 && isTail(written) ? 'maybe' : 'no';
  };
}

/** Returns `yes` if a path can match a pattern and has no unknown part, and `maybe` if it has an unknown part. */
function matchUnknownPath(paths: readonly string[], overlaps: OverlapMatcher, steps: StepMeter): MatchResult {
  let best: MatchResult = 'no';
  try {
    for (const path of paths)
      if (overlaps(path, steps)) {
        if (!path.includes(ANY_TEXT_WILDCARD)) return 'yes';
        best = 'maybe';
      }
  } catch (error) {
    if (error instanceof StepLimitExceededError) return 'maybe';
    throw error;
  }
  return best;
}
