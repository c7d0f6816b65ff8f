import { createRequire } from 'node:module';
import type { StepMeter } from './step-meter.ts';

type Re2 = typeof import('@bufbuild/re2');

/**
 * The maximum size of a pattern, as `estimatePatternSize` computes it. Compiling a pattern of this size takes
 * about 12 ms. Unicode classes and case-insensitive ranges take longer (see `estimateCompilationSteps`).
 */
export const MAX_PATTERN_SIZE = 5_000;
/** Measured: 2.5 µs per part, and 50 µs for the ranges of a Unicode class. */
const COMPILATION_STEPS_PER_PART = 30;
const COMPILATION_STEPS_PER_UNICODE_CLASS = 500;
/** Measured: 0.4 µs. A class is one part, whatever its length. */
const COMPILATION_STEPS_PER_CHARACTER = 4;
/** Measured: up to 0.8 µs. The library looks up the other case of each code point in a range. */
const COMPILATION_STEPS_PER_FOLDED_CODE_POINT = 8;
/** The first and last code points that have another case. */
const FOLDED_CODE_POINTS = { first: 0x41, last: 0x1e943 };
/** Measured: 5 to 25 ns for a character. The library caches what it has computed for the parts. */
const STEPS_PER_CHARACTER: MatchingCost = { fixed: 0.05, perPart: 0.01, perBranch: 0 };
/**
 * Measured: at an anchor, such as `^` or `$`, the library caches nothing. It examines the parts that can match next
 * again at each character.
 */
const STEPS_PER_CHARACTER_WITH_ANCHORS: MatchingCost = { fixed: 0.5, perPart: 0.01, perBranch: 0.2 };
/** Measured: boundaries are also examined between all characters. */
const STEPS_PER_CHARACTER_WITH_BOUNDARIES: MatchingCost = { fixed: 0.5, perPart: 0.05, perBranch: 0.6 };

/** The number of steps for matching a pattern against one character. */
interface MatchingCost {
  readonly fixed: number;
  readonly perPart: number;
  /** For each repetition, alternative and boundary. Half for each optional copy of a part, as in `.{0,20}`. */
  readonly perBranch: number;
}

/** Returns whether a pattern matches anywhere in a string. @throws StepLimitExceededError */
export type RegularExpressionMatcher = (text: string, steps: StepMeter) => boolean;

let loaded: Re2 | null = null;

/**
 * Compiles a regular expression in RE2 syntax, which has no backreferences. The maximum time for matching is
 * proportional to the length of the string multiplied by the size of the pattern. A match charges steps in
 * the same proportion.
 * @throws Error with the message of the parser, or if the pattern is too large
 * @example
 * compileRegularExpression('^gpt-[0-9]')('gpt-5', new StepMeter()); // true
 */
export function compileRegularExpression(source: string): RegularExpressionMatcher {
  const size = estimatePatternSize(source);
  if (size > MAX_PATTERN_SIZE)
    throw new Error(
      `the pattern is too large: after repetitions such as {100} are expanded, it has more than ${MAX_PATTERN_SIZE} parts; use smaller repetition counts`,
    );
  loaded ??= loadRe2();
  const compiled = loaded.RE2JS.compile(source);
  const stepsPerCharacter = estimateStepsPerCharacter(source);
  return (text, steps) => {
    steps.charge(1 + Math.ceil(text.length * stepsPerCharacter));
    return compiled.test(text);
  };
}

/**
 * Estimates the number of steps for compiling a pattern.
 * @example
 * estimateCompilationSteps('a{3}'); // 166
 */
export function estimateCompilationSteps(source: string): number {
  const unicodeClasses = source.match(/\\p/gi)?.length ?? 0;
  return (
    estimatePatternSize(source) * COMPILATION_STEPS_PER_PART +
    source.length * COMPILATION_STEPS_PER_CHARACTER +
    unicodeClasses * COMPILATION_STEPS_PER_UNICODE_CLASS +
    countFoldedCodePoints(source) * COMPILATION_STEPS_PER_FOLDED_CODE_POINT
  );
}

/**
 * Estimates the number of steps for matching a pattern against one character of a text.
 * @example
 * estimateStepsPerCharacter('cat'); // 0.1
 */
export function estimateStepsPerCharacter(source: string): number {
  const { size, branches, hasAnchors, hasBoundaries } = measurePattern(source);
  const cost = hasAnchors ? STEPS_PER_CHARACTER_WITH_ANCHORS : STEPS_PER_CHARACTER;
  const { fixed, perPart, perBranch } = hasBoundaries ? STEPS_PER_CHARACTER_WITH_BOUNDARIES : cost;
  return fixed + size * perPart + branches * perBranch;
}

/** A group with the flag that ignores case. */
const CASE_INSENSITIVE = /\(\?[a-z-]*i/i;
const CODE_POINT = /\\x\{[0-9a-f]{1,8}\}|\\x[0-9a-f]{2}|\\[0-7]{1,3}|\\?[\s\S]/giu;

/**
 * Returns an upper bound for the number of code points whose other case must be looked up. Also counts text outside of
 * classes that looks like a range.
 */
function countFoldedCodePoints(source: string): number {
  if (!CASE_INSENSITIVE.test(source)) return 0;
  const { first, last } = FOLDED_CODE_POINTS;
  const atoms = source.match(CODE_POINT) ?? [];
  let count = 0;
  for (const [at, atom] of atoms.entries()) {
    const high = atoms[at + 2];
    if (atoms[at + 1] !== '-' || high === undefined) continue;
    const [from, to] = [readCodePoint(atom), readCodePoint(high)];
    // The library adds a range that contains all of them without any lookup.
    if (from > first || to < last) count += Math.max(0, Math.min(to, last) - Math.max(from, first) + 1);
  }
  return count;
}

function readCodePoint(atom: string): number {
  const [, hex, octal] = /^\\(?:x\{?([0-9a-f]+)\}?|([0-7]+))$/i.exec(atom) ?? [];
  if (hex !== undefined) return Number.parseInt(hex, 16);
  if (octal !== undefined) return Number.parseInt(octal, 8);
  return atom.codePointAt(atom.length > 1 && atom.startsWith('\\') ? 1 : 0) ?? 0;
}

/** Loaded with the first pattern, so that a process without rules does not load it. */
function loadRe2(): Re2 {
  const library: Re2 = createRequire(import.meta.url)('@bufbuild/re2');
  return library;
}

const PATTERN_TOKEN =
  /\\Q[\s\S]*?(?:\\E|$)|\\[pP]\{[^}]*\}|\\x\{[^}]*\}|\\[\s\S]|\[\^?\]?(?:\[:\^?\w+:\]|\\[\s\S]|[^\]\\])*\]|\{\d+(?:,\d*)?\}|[\s\S]/g;

/**
 * Estimates the number of instructions of a compiled pattern. The estimate is at least half of the
 * actual number.
 * @example
 * estimatePatternSize('a{3}'); // 5
 */
export function estimatePatternSize(source: string): number {
  return measurePattern(source).size;
}

interface PatternMeasure {
  readonly size: number;
  /** See `MatchingCost`. */
  readonly branches: number;
  /** Whether it has an anchor to the start or end of the text. */
  readonly hasAnchors: boolean;
  /** Whether it has a word boundary, or an anchor to the start or end of a line. */
  readonly hasBoundaries: boolean;
}

/** A group in which `^` and `$` match at the start and end of each line. */
const MULTI_LINE = /\(\?[a-z]*m/i;
const WORD_BOUNDARIES: ReadonlySet<string> = new Set(['\\b', '\\B']);
const ANCHORS: ReadonlySet<string> = new Set(['^', '$', '\\A', '\\z']);
const LINE_ANCHORS: ReadonlySet<string> = new Set(['^', '$']);

/** Measures a pattern after its counted repetitions are expanded. */
function measurePattern(source: string): PatternMeasure {
  const groups: (readonly [size: number, branches: number])[] = [];
  let [sum, last] = [0, 0];
  let [branches, lastBranches] = [0, 0];
  let hasAnchors = false;
  let hasBoundaries = false;
  const isMultiLine = MULTI_LINE.test(source);
  for (const [token] of source.matchAll(PATTERN_TOKEN)) {
    const counts = /^\{(\d+)(?:,(\d*))?\}$/.exec(token);
    if (counts) {
      const times = Math.max(Number(counts[1]), Number(counts[2] ?? 0)) + (counts[2] === '' ? 1 : 0);
      sum += last * Math.max(0, times - 1);
      branches += lastBranches * Math.max(0, times - 1) + (last * Math.max(0, times - Number(counts[1]))) / 2;
      last *= Math.max(1, times);
      lastBranches *= Math.max(1, times);
    } else if (token === '(') {
      groups.push([sum, branches]);
      [sum, last, branches, lastBranches] = [0, 0, 0, 0];
    } else if (token === ')') {
      const [outer, outerBranches] = groups.pop() ?? [0, 0];
      [last, lastBranches] = [sum + 2, branches];
      [sum, branches] = [outer + last, outerBranches + lastBranches];
    } else if (token === '*' || token === '+' || token === '?' || token === '|') {
      sum += 1;
      last += 1;
      branches += 1;
      lastBranches += 1;
    } else {
      const isBoundary = WORD_BOUNDARIES.has(token) || (isMultiLine && LINE_ANCHORS.has(token));
      hasBoundaries ||= isBoundary;
      hasAnchors ||= ANCHORS.has(token);
      last = token.startsWith('\\Q') ? token.length : 1;
      lastBranches = isBoundary ? 1 : 0;
      sum += last;
      branches += lastBranches;
    }
  }
  for (const [size, outer] of groups) {
    sum += size;
    branches += outer;
  }
  return { size: sum + 2, branches, hasAnchors, hasBoundaries };
}
