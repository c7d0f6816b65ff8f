import { parseCondition } from './cel.ts';
import type { Expression } from './cel-library.ts';
import { RANGE, STEP } from './counted-functions.ts';

/** The parser leaves out parts that cannot be absent. */
type Part = Expression | undefined;
type Comprehension = Extract<NonNullable<Expression>['exprKind'], { case: 'comprehensionExpr' }>['value'];

/** Steps that an expression takes whatever it reads: one for each node, as often as its loops over literals run. */
export interface Cost {
  readonly fixed: number;
  /** More for each entry of the list that a loop reads. */
  readonly perEntry: number;
}

const NOTHING: Cost = { fixed: 0, perEntry: 0 };

/** What a condition may take at least; more is refused when it is saved. */
export const MAX_COST: Cost = { fixed: 20_000, perEntry: 1_000 };

/** @throws Error when a condition is sure to take more than `MAX_COST` */
export function mustBeCheap(expression: Part): void {
  const { fixed, perEntry } = costOf(expression);
  if (fixed > MAX_COST.fixed)
    throw new Error(
      `takes ${shown(fixed)} steps, at most ${MAX_COST.fixed} are allowed; nest fewer loops or shorten their lists`,
    );
  if (perEntry > MAX_COST.perEntry)
    throw new Error(
      `takes ${shown(perEntry)} steps for each entry of a list that was sent, at most ${MAX_COST.perEntry} are allowed; shorten the lists around that loop`,
    );
}

function shown(steps: number): string {
  return steps < 1e9 ? String(Math.ceil(steps)) : 'more than a billion';
}

/** The least that evaluating an expression takes if no operator ends early, sizes of texts apart. */
export function costOf(expression: Part): Cost {
  const kind = expression?.exprKind;
  if (kind?.case !== 'comprehensionExpr')
    return plus({ fixed: 1, perEntry: 0 }, ...partsOf(expression).map(costOf));
  const { iterRange, accuInit, loopCondition, loopStep, result } = kind.value;
  const turn = plus(costOf(loopCondition), costOf(loopStep));
  const turns = literalSize(kind.value);
  const looped: Cost =
    turns === null
      ? { fixed: 0, perEntry: turn.fixed + turn.perEntry }
      : { fixed: turns * turn.fixed + growth(kind.value, turns), perEntry: turns * turn.perEntry };
  return plus({ fixed: 1, perEntry: 0 }, costOf(iterRange), costOf(accuInit), costOf(result), looped);
}

/** A list that gets longer with each turn is copied in each. */
function growth({ accuInit }: Comprehension, turns: number): number {
  return accuInit?.exprKind.case === 'listExpr' ? (turns * turns) / 2 : 0;
}

/** Entries of the literal that a loop runs over; null for what is only known when it runs. */
function literalSize({ iterRange }: Comprehension): number | null {
  return iterRange?.exprKind.case === 'listExpr' ? iterRange.exprKind.value.elements.length : null;
}

function plus(...costs: readonly Cost[]): Cost {
  return costs.reduce(
    (sum, { fixed, perEntry }) => ({ fixed: sum.fixed + fixed, perEntry: sum.perEntry + perEntry }),
    NOTHING,
  );
}

/** Parts of anything but a loop. */
function partsOf(expression: Part): readonly Part[] {
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
export function chargeLoops(expression: Part): number {
  const kind = expression?.exprKind;
  if (expression === undefined) return 0;
  if (kind?.case !== 'comprehensionExpr')
    return 1 + partsOf(expression).reduce((sum, part) => sum + chargeLoops(part), 0);
  const loop = kind.value;
  const perTurn = chargeLoops(loop.loopCondition) + chargeLoops(loop.loopStep);
  const around = chargeLoops(loop.iterRange) + chargeLoops(loop.accuInit) + chargeLoops(loop.result);
  loop.loopCondition = withArgument(`${STEP}(${perTurn}) && true`, 1, loop.loopCondition);
  loop.iterRange = withArgument(`${RANGE}(true)`, 0, loop.iterRange);
  return 1 + around;
}

/** A call with `argument` at one of its places. */
function withArgument(call: string, place: number, argument: Part): Part {
  const expression = parseCondition(call);
  if (expression?.exprKind.case === 'callExpr' && argument) expression.exprKind.value.args[place] = argument;
  return expression;
}
