import { type CelProgram, compileExpression, getCelErrorMessage, parseCondition } from './cel.ts';
import { addLoopStepCharges, requireBoundedCost } from './expression-cost.ts';
import { describeStepLimit, StepMeter } from './step-meter.ts';
import { type ConditionVariablePaths, validateExpression } from './validate-expression.ts';
import type { ConditionVariables, ConditionVocabulary } from './vocabulary.ts';

/**
 * The result of a condition that could not be evaluated. `reason` never contains a value from the
 * request.
 */
export class EvaluationFailure {
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}

/** A condition prepared for evaluation, such as a policy's `when`. */
export interface CompiledCondition {
  readonly inputs: ConditionVariablePaths;
  /** Evaluates the condition. Never throws. Fails if it needs more steps than remain. */
  evaluate(variables: ConditionVariables, steps: StepMeter): boolean | EvaluationFailure;
}

/**
 * Compiles a CEL condition.
 * @throws Error that completes "when: …", for invalid syntax, an unknown name or a result that is not a
 * boolean
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

/**
 * Every change of a configuration compiles the conditions of all organizations again. Most are unchanged, so
 * they are cached.
 */
const compiledByVocabulary = new WeakMap<ConditionVocabulary, Map<string, CompiledCondition>>();
const MAX_COMPILED = 2_000;

function compileUncached(source: string, vocabulary: ConditionVocabulary): CompiledCondition {
  const expression = parseCondition(source);
  const needs = validateExpression(expression, vocabulary);
  requireBoundedCost(expression);
  const plain = addLoopStepCharges(expression);
  const planned = compileExpression(expression);
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
  return new EvaluationFailure(getCelErrorMessage(value) ?? 'the result is not a boolean');
}

/**
 * Evaluates the condition on example values. A comparison of a number with a string is then reported to the
 * author of the condition, not to a caller.
 */
function evaluateExample(
  program: CelProgram,
  needs: ConditionVariablePaths,
  { example, dynamicVariables }: ConditionVocabulary,
): void {
  const value = program(example, new StepMeter());
  const failure = getCelErrorMessage(value);
  // The example cannot predict the members that clients send.
  const isOpen = [...needs].some((need) => dynamicVariables.has(need));
  if (failure !== null && !isOpen) throw new Error(failure);
  if (failure === null && typeof value !== 'boolean') throw new Error('must evaluate to true or false');
}
