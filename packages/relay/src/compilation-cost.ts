import { compileCondition, MAX_ORG_COMPILATION_STEPS } from '@floe/conditions/condition';
import { estimateCompilationSteps } from '@floe/conditions/regular-expression';
import type { RelayRuleConfig } from '@floe/contract/config';
import { InvalidRelayRuleError } from './rules/compile-rule-field.ts';
import { RELAY_CONDITION_VOCABULARY } from './rules/condition-vocabulary.ts';

/** Creates the error for the rule at `path`, which makes the rules of an organization too expensive to compile. */
export function createCompilationCostError(path: readonly (string | number)[]): InvalidRelayRuleError {
  return new InvalidRelayRuleError(
    path,
    `the regular expressions of all relay rules of the organization need more than ${MAX_ORG_COMPILATION_STEPS.toLocaleString('en-US')} steps to compile; use fewer or shorter regular expressions`,
  );
}

/**
 * Returns the number of steps for compiling the regular expressions and the condition of a rule. Does not compile the
 * regular expressions. Ignores an invalid condition, which `compileRule` reports.
 */
export function countRuleCompilationSteps({ match, except, when }: RelayRuleConfig): number {
  const texts = [match, ...except.map((exception) => exception.match)].flatMap((one) => one?.text ?? []);
  return texts.reduce((sum, text) => sum + estimateCompilationSteps(text), countConditionSteps(when));
}

/** Returns whether rules are too expensive to compile together. */
export function exceedsCompilationLimit(rules: Iterable<RelayRuleConfig>): boolean {
  let steps = 0;
  for (const rule of rules) {
    steps += countRuleCompilationSteps(rule);
    if (steps > MAX_ORG_COMPILATION_STEPS) return true;
  }
  return false;
}

function countConditionSteps(when: string | undefined): number {
  if (when === undefined) return 0;
  try {
    return compileCondition(when, RELAY_CONDITION_VOCABULARY).compilationSteps;
  } catch {
    return 0;
  }
}
