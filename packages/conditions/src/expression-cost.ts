import { parseCondition } from './cel.ts';
import type { CelExpression } from './cel-library.ts';
import { LOOP_RANGE_FUNCTION_NAME, LOOP_STEP_FUNCTION_NAME } from './metered-environment.ts';

/** An expression or part of one. The parser leaves some optional parts undefined. */
type OptionalExpression = CelExpression | undefined;
type Comprehension = Extract<NonNullable<CelExpression>['exprKind'], { case: 'comprehensionExpr' }>['value'];

/**
 * The minimum number of steps for evaluating an expression: one step per node. In a loop over a literal list,
 * each node counts once per entry of the list.
 */
export interface ExpressionCost {
  readonly fixed: number;
  /** Additional steps for each entry of a list whose length is known only at run time. */
  readonly perEntry: number;
}

const NO_COST: ExpressionCost = { fixed: 0, perEntry: 0 };

/** The maximum cost of a condition. A condition with a higher cost is rejected when it is saved. */
export const MAX_EXPRESSION_COST: ExpressionCost = { fixed: 20_000, perEntry: 1_000 };

/**
 * Throws if the minimum cost of an expression is too high.
 * @throws Error if the cost exceeds `MAX_EXPRESSION_COST`
 */
export function requireBoundedCost(expression: OptionalExpression): void {
  const { fixed, perEntry } = computeExpressionCost(expression);
  if (fixed > MAX_EXPRESSION_COST.fixed)
    throw new Error(
      `must take at most ${MAX_EXPRESSION_COST.fixed} steps, but takes ${formatSteps(fixed)}; use fewer nested loops, or shorter lists in the loops`,
    );
  if (perEntry > MAX_EXPRESSION_COST.perEntry)
    throw new Error(
      `must take at most ${MAX_EXPRESSION_COST.perEntry} steps for each entry of a list that it loops over, but takes ${formatSteps(perEntry)}; use shorter lists of constants in these loops`,
    );
}

function formatSteps(steps: number): string {
  return steps < 1e9 ? String(Math.ceil(steps)) : 'more than a billion';
}

/**
 * Computes the number of steps for evaluating an expression if all operands are evaluated and all strings are
 * empty.
 */
export function computeExpressionCost(expression: OptionalExpression): ExpressionCost {
  const kind = expression?.exprKind;
  if (kind?.case !== 'comprehensionExpr')
    return sumCosts({ fixed: 1, perEntry: 0 }, ...listSubexpressions(expression).map(computeExpressionCost));
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

/** A list that grows with each iteration is copied in each iteration. */
function listCopyCost({ accuInit }: Comprehension, turns: number): number {
  return accuInit?.exprKind.case === 'listExpr' ? (turns * turns) / 2 : 0;
}

/**
 * Returns the number of entries of the literal that a loop iterates over; null if it is known only at run
 * time.
 */
function literalSize({ iterRange }: Comprehension): number | null {
  return iterRange?.exprKind.case === 'listExpr' ? iterRange.exprKind.value.elements.length : null;
}

function sumCosts(...costs: readonly ExpressionCost[]): ExpressionCost {
  return costs.reduce(
    (sum, { fixed, perEntry }) => ({ fixed: sum.fixed + fixed, perEntry: sum.perEntry + perEntry }),
    NO_COST,
  );
}

/** Returns the direct subexpressions of an expression. */
export function listSubexpressions(expression: OptionalExpression): readonly OptionalExpression[] {
  const kind = expression?.exprKind;
  switch (kind?.case) {
    case 'selectExpr':
      return [kind.value.operand];
    case 'callExpr':
      return [kind.value.target, ...kind.value.args];
    case 'listExpr':
      return kind.value.elements;
    case 'comprehensionExpr': {
      const { iterRange, accuInit, loopCondition, loopStep, result } = kind.value;
      return [iterRange, accuInit, loopCondition, loopStep, result];
    }
    default:
      return [];
  }
}

/**
 * Changes an expression so that each iteration of its loops charges its steps. Returns the number of steps
 * outside of loops, which the caller must charge when the evaluation starts.
 */
export function addLoopStepCharges(expression: OptionalExpression): number {
  const kind = expression?.exprKind;
  if (expression === undefined) return 0;
  if (kind?.case !== 'comprehensionExpr')
    return 1 + listSubexpressions(expression).reduce((sum, part) => sum + addLoopStepCharges(part), 0);
  const loop = kind.value;
  const perTurn = addLoopStepCharges(loop.loopCondition) + addLoopStepCharges(loop.loopStep);
  const around =
    addLoopStepCharges(loop.iterRange) + addLoopStepCharges(loop.accuInit) + addLoopStepCharges(loop.result);
  loop.loopCondition = withArgument(`${LOOP_STEP_FUNCTION_NAME}(${perTurn}) && true`, 1, loop.loopCondition);
  loop.iterRange = withArgument(`${LOOP_RANGE_FUNCTION_NAME}(true)`, 0, loop.iterRange);
  return 1 + around;
}

/** Returns a call with `argument` at one position. */
function withArgument(call: string, place: number, argument: OptionalExpression): OptionalExpression {
  const expression = parseCondition(call);
  if (expression?.exprKind.case === 'callExpr' && argument) expression.exprKind.value.args[place] = argument;
  return expression;
}
