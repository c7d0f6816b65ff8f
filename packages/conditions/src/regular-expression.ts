import { createRequire } from 'node:module';
import type { StepMeter } from './step-meter.ts';

type Re2 = typeof import('@bufbuild/re2');

/**
 * The maximum size of a pattern with expanded repetitions: `a{3}` has the size 3. Compiling a
 * pattern of this size takes about 0.1 s.
 */
export const MAX_PATTERN_SIZE = 5_000;
/** Parts of a pattern that are matched against one character in the time of one step. */
const PARTS_PER_STEP = 100;

/** Returns whether a pattern matches anywhere in a string. @throws StepLimitExceededError */
export type RegularExpressionTest = (text: string, steps: StepMeter) => boolean;

let loaded: Re2 | null = null;

/**
 * Compiles a regular expression (RE2 syntax, without backreferences). The time for matching is at most
 * proportional to the length of the string multiplied by the size of the pattern, and steps are
 * charged accordingly.
 * @throws Error with the message of the parser, or if the pattern is too large
 * @example
 * compileRegularExpression('^gpt-[0-9]')('gpt-5', new StepMeter()); // true
 */
export function compileRegularExpression(source: string): RegularExpressionTest {
  const size = estimatePatternSize(source);
  if (size > MAX_PATTERN_SIZE)
    throw new Error(
      `the pattern is too large: after repetitions such as {100} are expanded, it has more than ${MAX_PATTERN_SIZE} parts; use smaller repetition counts`,
    );
  loaded ??= loadRe2();
  const compiled = loaded.RE2JS.compile(source);
  return (text, steps) => {
    steps.charge(1 + Math.ceil((text.length * size) / PARTS_PER_STEP));
    return compiled.test(text);
  };
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
  const groups: number[] = [];
  let [sum, last] = [0, 0];
  for (const [token] of source.matchAll(PATTERN_TOKEN)) {
    const counts = /^\{(\d+)(?:,(\d*))?\}$/.exec(token);
    if (counts) {
      const times = Math.max(Number(counts[1]), Number(counts[2] ?? 0)) + (counts[2] === '' ? 1 : 0);
      sum += last * Math.max(0, times - 1);
      last *= Math.max(1, times);
    } else if (token === '(') {
      groups.push(sum);
      [sum, last] = [0, 0];
    } else if (token === ')') {
      last = sum + 2;
      sum = (groups.pop() ?? 0) + last;
    } else if (token === '*' || token === '+' || token === '?' || token === '|') {
      sum += 1;
      last += 1;
    } else {
      last = token.startsWith('\\Q') ? token.length : 1;
      sum += last;
    }
  }
  return groups.reduce((outer, inner) => outer + inner, sum) + 2;
}
