import { parseCondition } from './cel.ts';
import type { CelExpression } from './cel-library.ts';
import { RANGE_FUNCTION, STEP_FUNCTION } from './metered-environment.ts';

/** The parser leaves out parts that cannot be absent. */
type OptionalExpression = CelExpression | undefined;
type Comprehension = Extract<NonNullable<CelExpression>['exprKind'], { case: 'comprehensionExpr' }>['value'];

/** Steps that an expression takes whatever it reads: one for each node, as often as its loops over literals run. */
export interface ExpressionCost {
  readonly fixed: number;
  /** More for each entry of the list that a loop reads. */
  readonly perEntry: number;
}

const NO_COST: ExpressionCost = { fixed: 0, perEntry: 0 };

/** What a condition may take at least; more is refused when it is saved. */
export const MAX_EXPRESSION_COST: ExpressionCost = { fixed: 20_000, perEntry: 1_000 };

/** @throws Error when a condition is sure to take more than `MAX_EXPRESSION_COST` */
export function requireBoundedCost(expression: OptionalExpression): void {
  const { fixed, perEntry } = computeExpressionCost(expression);
  if (fixed > MAX_EXPRESSION_COST.fixed)
    throw new Error(
      `must need at most ${MAX_EXPRESSION_COST.fixed} steps, but needs ${formatSteps(fixed)}; nest fewer loops or shorten their lists`,
    );
  if (perEntry > MAX_EXPRESSION_COST.perEntry)
    throw new Error(
      `must need at most ${MAX_EXPRESSION_COST.perEntry} steps for each entry of a list in the request, but needs ${formatSteps(perEntry)}; shorten the constant lists in that loop`,
    );
}

function formatSteps(steps: number): string {
  return steps < 1e9 ? String(Math.ceil(steps)) : 'more than a billion';
}

/** The least that evaluating an expression takes if no operator ends early, sizes of texts apart. */
export function computeExpressionCost(expression: OptionalExpression): ExpressionCost {
  const kind = expression?.exprKind;
  if (kind?.case !== 'comprehensionExpr')
    return sumCosts({ fixed: 1, perEntry: 0 }, ...subexpressions(expression).map(computeExpressionCost));
  const { iterRange, accuInit, loopCondition, loopStep, result } = kind.value;
  const turn = sumCosts(computeExpressionCost(loopCondition), computeExpressionCost(loopStep));
  const turns = literalSize(kind.value);
  const looped: ExpressionCost =
    turns === null
      ? { fixed: 0, perEntry: turn.fixed + turn.perEntry }
      : { fixed: turns * turn.fixed + listCopyCost(kind.value, turns), perEntry: turns * turn.perEntry };
  return sumCosts(
    { fixed: 1, perEntry: 0 },
    computeExpressionCost(iterRange),
    computeExpressionCost(accuInit),
    computeExpressionCost(result),
    looped,
  );
}

/** A list that gets longer with each turn is copied in each. */
function listCopyCost({ accuInit }: Comprehension, turns: number): number {
  return accuInit?.exprKind.case === 'listExpr' ? (turns * turns) / 2 : 0;
}

/** Entries of the literal that a loop runs over; null for what is only known when it runs. */
function literalSize({ iterRange }: Comprehension): number | null {
  return iterRange?.exprKind.case === 'listExpr' ? iterRange.exprKind.value.elements.length : null;
}

function sumCosts(...costs: readonly ExpressionCost[]): ExpressionCost {
  return costs.reduce(
    (sum, { fixed, perEntry }) => ({ fixed: sum.fixed + fixed, perEntry: sum.perEntry + perEntry }),
    NO_COST,
  );
}

/** Parts of anything but a loop. */
function subexpressions(expression: OptionalExpression): readonly OptionalExpression[] {
  const kind = expression?.exprKind;
  switch (kind?.case) {
    case 'selectExpr':
      return [kind.value.operand];
    case 'callExpr':
      return [kind.value.target, ...kind.value.args];
    case 'listExpr':
      return kind.value.elements;
    default:
      return [];
  }
}

/**
 * Makes the loops of an expression charge for each turn, and returns the steps of everything outside of loops, to be charged
 * when the evaluation begins.
 */
export function meterLoops(expression: OptionalExpression): number {
  const kind = expression?.exprKind;
  if (expression === undefined) return 0;
  if (kind?.case !== 'comprehensionExpr')
    return 1 + subexpressions(expression).reduce((sum, part) => sum + meterLoops(part), 0);
  const loop = kind.value;
  const perTurn = meterLoops(loop.loopCondition) + meterLoops(loop.loopStep);
  const around = meterLoops(loop.iterRange) + meterLoops(loop.accuInit) + meterLoops(loop.result);
  loop.loopCondition = withArgument(`${STEP_FUNCTION}(${perTurn}) && true`, 1, loop.loopCondition);
  loop.iterRange = withArgument(`${RANGE_FUNCTION}(true)`, 0, loop.iterRange);
  return 1 + around;
}

/** A call with `argument` at one of its places. */
function withArgument(call: string, place: number, argument: OptionalExpression): OptionalExpression {
  const expression = parseCondition(call);
  if (expression?.exprKind.case === 'callExpr' && argument) expression.exprKind.value.args[place] = argument;
  return expression;
}
