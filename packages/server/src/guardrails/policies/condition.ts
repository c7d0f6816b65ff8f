import { failureOf, type Program, parseCondition, planCondition } from './cel.ts';
import { type Needs, readExpression } from './expression.ts';
import { EXAMPLE, type Variables } from './variables.ts';

/** A condition could not be judged; `because` never holds a value of the request. */
export class Unjudged {
  readonly because: string;

  constructor(because: string) {
    this.because = because;
  }
}

/** The `when` of a policy, ready to be judged. */
export interface Condition {
  readonly needs: Needs;
  /** Never throws. */
  judge(variables: Variables): boolean | Unjudged;
}

/**
 * Compiles a CEL condition.
 *
 * @throws Error that completes the sentence "when: …": its grammar, its names, its kind of value
 */
export function compileCondition(source: string): Condition {
  const expression = parseCondition(source);
  const needs = readExpression(expression);
  const program = planCondition(expression);
  tryOut(program, needs);
  return { needs, judge: (variables) => judge(program, variables) };
}

function judge(program: Program, variables: Variables): boolean | Unjudged {
  let value: unknown;
  try {
    value = program(variables);
  } catch (error) {
    return new Unjudged(error instanceof Error ? error.message : String(error));
  }
  if (typeof value === 'boolean') return value;
  return new Unjudged(failureOf(value) ?? 'it gives neither true nor false');
}

/** On an example, so that a comparison of a number with a text is told to whoever writes it, not to a caller. */
function tryOut(program: Program, needs: Needs): void {
  const value = program(EXAMPLE);
  const failure = failureOf(value);
  // Nobody knows what metadata callers send.
  if (failure !== null && !needs.has('metadata')) throw new Error(failure);
  if (failure === null && typeof value !== 'boolean') throw new Error('must give true or false');
}
