import type { CelExpression } from './cel-library.ts';
import { listSubexpressions } from './expression-cost.ts';
import {
  compileRegularExpression,
  estimateCompilationSteps,
  type RegularExpressionMatcher,
} from './regular-expression.ts';
import type { StepMeter } from './step-meter.ts';

type OptionalExpression = CelExpression | undefined;

/**
 * Compiles the regular expressions that are string literals in an expression, including those in lists that
 * loops iterate over. Each condition has its own compiled patterns, so that conditions of other organizations
 * do not affect them. Omits invalid patterns. They cause an error when the condition uses them.
 * @throws StepLimitExceededError if the compilation needs more steps than remain
 */
export function compileLiteralPatterns(
  expression: OptionalExpression,
  steps: StepMeter,
): ReadonlyMap<string, RegularExpressionMatcher> {
  const compiled = new Map<string, RegularExpressionMatcher>();
  for (const pattern of findLiteralPatterns(expression)) {
    steps.charge(estimateCompilationSteps(pattern));
    try {
      compiled.set(pattern, compileRegularExpression(pattern));
    } catch {
      // The condition may not use this text as a pattern.
    }
  }
  return compiled;
}

function findLiteralPatterns(expression: OptionalExpression): ReadonlySet<string> {
  const patterns = new Set<string>();
  const listed = new Set<string>();
  let isComputed = false;
  const pending = [expression];
  while (pending.length > 0) {
    const next = pending.pop();
    const kind = next?.exprKind;
    pending.push(...listSubexpressions(next));
    if (kind?.case === 'listExpr')
      for (const text of kind.value.elements.flatMap(toLiteral)) listed.add(text);
    if (kind?.case !== 'callExpr' || kind.value.function !== 'matches') continue;
    const texts = toLiteral(kind.value.args.at(-1));
    for (const text of texts) patterns.add(text);
    isComputed ||= texts.length === 0;
  }
  return isComputed ? new Set([...patterns, ...listed]) : patterns;
}

/** Returns the text of a string literal. Empty for any other expression. */
function toLiteral(expression: OptionalExpression): string[] {
  const kind = expression?.exprKind;
  return kind?.case === 'constExpr' && kind.value.constantKind.case === 'stringValue'
    ? [kind.value.constantKind.value]
    : [];
}
