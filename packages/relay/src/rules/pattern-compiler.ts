import {
  compileRegularExpression,
  estimateCompilationSteps,
  type RegularExpressionMatcher,
} from '@floe/conditions/regular-expression';

/** Maximum number of steps for compiling the regular expressions of a rule: 30 ms. */
const MAX_PATTERN_STEPS = 300_000;

/**
 * Compiles the regular expressions of one rule. Limits the total cost of the compilation, because a rule can
 * have any number of regular expressions.
 */
export class PatternCompiler {
  #steps = 0;

  /** @throws Error if the pattern is invalid, or if the rule exceeds the maximum */
  compile(pattern: string): RegularExpressionMatcher {
    this.#steps += estimateCompilationSteps(pattern);
    if (this.#steps > MAX_PATTERN_STEPS)
      throw new Error(
        `the regular expressions of a rule must compile in at most ${MAX_PATTERN_STEPS} steps; use fewer or shorter regular expressions, with fewer Unicode classes such as \\p{L}, and without large ranges after (?i)`,
      );
    return compileRegularExpression(pattern);
  }
}
