import { failureOf, type Program, parseCondition, planCondition } from './cel.ts';
import { type Needs, readExpression } from './expression.ts';
import { chargeLoops, mustBeCheap } from './expression-cost.ts';
import { StepMeter, tooMany } from './steps.ts';
import type { Variables, Vocabulary } from './vocabulary.ts';

/** A condition could not be judged; `because` never holds a value of the request. */
export class Unjudged {
  readonly because: string;

  constructor(because: string) {
    this.because = because;
  }
}

/** The `when` of a rule, ready to be judged. */
export interface Condition {
  readonly needs: Needs;
  /** Never throws. What takes more steps than are left is not judged. */
  judge(variables: Variables, steps: StepMeter): boolean | Unjudged;
}

/**
 * Compiles a CEL condition.
 *
 * @throws Error that completes the sentence "when: …": its grammar, its names, its kind of value
 * @example
 * const vocabulary = { example: { request: new Map([['model', 'gpt-5']]) }, open: new Set() };
 * const condition = compileCondition('request.model.startsWith("gpt-")', vocabulary);
 * condition.judge({ request: new Map([['model', 'gpt-5-mini']]) }, new StepMeter()); // true
 */
export function compileCondition(source: string, vocabulary: Vocabulary): Condition {
  const known = compiled.get(vocabulary) ?? new Map<string, Condition>();
  compiled.set(vocabulary, known);
  const condition = known.get(source) ?? compile(source, vocabulary);
  if (known.size < MAX_COMPILED) known.set(source, condition);
  return condition;
}

/** Every change of a configuration compiles the conditions of all orgs again, most of them unchanged. */
const compiled = new WeakMap<Vocabulary, Map<string, Condition>>();
const MAX_COMPILED = 2_000;

function compile(source: string, vocabulary: Vocabulary): Condition {
  const expression = parseCondition(source);
  const needs = readExpression(expression, vocabulary);
  mustBeCheap(expression);
  const plain = chargeLoops(expression);
  const planned = planCondition(expression);
  const program: Program = (read, steps) => {
    steps.charge(plain);
    return planned(read, steps);
  };
  tryOut(program, needs, vocabulary);
  return { needs, judge: (variables, steps) => judge(program, variables, steps) };
}

function judge(program: Program, variables: Variables, steps: StepMeter): boolean | Unjudged {
  let value: unknown;
  try {
    value = program(variables, steps);
  } catch (error) {
    return new Unjudged(error instanceof Error ? error.message : String(error));
  }
  if (steps.isExceeded) return new Unjudged(tooMany(steps.limit));
  if (typeof value === 'boolean') return value;
  return new Unjudged(failureOf(value) ?? 'it gives neither true nor false');
}

/** On an example, so that a comparison of a number with a text is told to whoever writes it, not to a caller. */
function tryOut(program: Program, needs: Needs, { example, open }: Vocabulary): void {
  const value = program(example, new StepMeter());
  const failure = failureOf(value);
  // Nobody knows what senders fill in.
  const isOpen = [...needs].some((need) => open.has(need));
  if (failure !== null && !isOpen) throw new Error(failure);
  if (failure === null && typeof value !== 'boolean') throw new Error('must give true or false');
}
