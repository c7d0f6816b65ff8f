import { type CelProgram, celErrorMessage, parseCondition, planExpression } from './cel.ts';
import { meterLoops, requireBoundedCost } from './expression-cost.ts';
import { describeStepLimit, StepMeter } from './step-meter.ts';
import { type ConditionInputs, validateExpression } from './validate-expression.ts';
import type { ConditionVariables, ConditionVocabulary } from './vocabulary.ts';

/** A condition could not be judged; `because` never holds a value of the request. */
export class EvaluationFailure {
  readonly reason: string;

  constructor(because: string) {
    this.reason = because;
  }
}

/** The `when` of a rule, ready to be judged. */
export interface CompiledCondition {
  readonly inputs: ConditionInputs;
  /** Never throws. What takes more steps than are left is not judged. */
  evaluate(variables: ConditionVariables, steps: StepMeter): boolean | EvaluationFailure;
}

/**
 * Compiles a CEL condition.
 *
 * @throws Error that completes the sentence "when: …": its grammar, its names, its kind of value
 * @example
 * const vocabulary = { example: { request: new Map([['model', 'gpt-5']]) }, dynamicVariables: new Set() };
 * const condition = compileCondition('request.model.startsWith("gpt-")', vocabulary);
 * condition.evaluate({ request: new Map([['model', 'gpt-5-mini']]) }, new StepMeter()); // true
 */
export function compileCondition(source: string, vocabulary: ConditionVocabulary): CompiledCondition {
  const known = compiledByVocabulary.get(vocabulary) ?? new Map<string, CompiledCondition>();
  compiledByVocabulary.set(vocabulary, known);
  const condition = known.get(source) ?? compileUncached(source, vocabulary);
  if (known.size < MAX_COMPILED) known.set(source, condition);
  return condition;
}

/** Every change of a configuration compiles the conditions of all orgs again, most of them unchanged. */
const compiledByVocabulary = new WeakMap<ConditionVocabulary, Map<string, CompiledCondition>>();
const MAX_COMPILED = 2_000;

function compileUncached(source: string, vocabulary: ConditionVocabulary): CompiledCondition {
  const expression = parseCondition(source);
  const needs = validateExpression(expression, vocabulary);
  requireBoundedCost(expression);
  const plain = meterLoops(expression);
  const planned = planExpression(expression);
  const program: CelProgram = (read, steps) => {
    steps.charge(plain);
    return planned(read, steps);
  };
  evaluateExample(program, needs, vocabulary);
  return { inputs: needs, evaluate: (variables, steps) => evaluateProgram(program, variables, steps) };
}

function evaluateProgram(
  program: CelProgram,
  variables: ConditionVariables,
  steps: StepMeter,
): boolean | EvaluationFailure {
  let value: unknown;
  try {
    value = program(variables, steps);
  } catch (error) {
    return new EvaluationFailure(error instanceof Error ? error.message : String(error));
  }
  if (steps.isExceeded) return new EvaluationFailure(describeStepLimit(steps.limit));
  if (typeof value === 'boolean') return value;
  return new EvaluationFailure(celErrorMessage(value) ?? 'its result is not a boolean');
}

/** On an example, so that a comparison of a number with a text is told to whoever writes it, not to a caller. */
function evaluateExample(
  program: CelProgram,
  needs: ConditionInputs,
  { example, dynamicVariables }: ConditionVocabulary,
): void {
  const value = program(example, new StepMeter());
  const failure = celErrorMessage(value);
  // Nobody knows what senders fill in.
  const isOpen = [...needs].some((need) => dynamicVariables.has(need));
  if (failure !== null && !isOpen) throw new Error(failure);
  if (failure === null && typeof value !== 'boolean') throw new Error('must evaluate to true or false');
}
