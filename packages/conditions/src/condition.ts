import { type CelProgram, compileExpression, getCelErrorMessage, parseCondition } from './cel.ts';
import { addLoopStepCharges, requireBoundedCost } from './expression-cost.ts';
import { compileLiteralPatterns } from './literal-patterns.ts';
import { describeStepLimit, StepLimitExceededError, StepMeter } from './step-meter.ts';
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
  /** The steps for compiling its regular expressions and for evaluating the example. */
  readonly compilationSteps: number;
  /** Evaluates the condition. Never throws. Fails if it needs more steps than remain. */
  evaluate(variables: ConditionVariables, steps: StepMeter): boolean | EvaluationFailure;
}

/**
 * Compiles a CEL condition. Validates it and evaluates it with the example values of the vocabulary.
 * @throws Error for invalid syntax, an unknown name, a result that is not a boolean, or a condition that needs
 * too many steps. The message completes the sentence "when: …".
 * @example
 * const vocabulary = { example: { request: new Map([['model', 'gpt-5']]) }, dynamicVariables: new Set() };
 * const condition = compileCondition('request.model.startsWith("gpt-")', vocabulary);
 * condition.evaluate({ request: new Map([['model', 'gpt-5-mini']]) }, new StepMeter()); // true
 */
export function compileCondition(source: string, vocabulary: ConditionVocabulary): CompiledCondition {
  const known = compiledByVocabulary.get(vocabulary) ?? new Map<string, CompiledCondition>();
  compiledByVocabulary.set(vocabulary, known);
  const cached = known.get(source);
  const condition = cached ?? compileUncached(source, vocabulary);
  // The least recently used condition is first.
  known.delete(source);
  known.set(source, condition);
  if (cached) return condition;
  let total = [...known.values()].reduce((sum, { compilationSteps }) => sum + compilationSteps, 0);
  for (const [oldest, { compilationSteps }] of known) {
    if (known.size <= MAX_COMPILED && total <= MAX_COMPILED_STEPS) break;
    known.delete(oldest);
    total -= compilationSteps;
  }
  return condition;
}

/**
 * Every change of a configuration compiles the conditions of all organizations again. Most are unchanged, so
 * they are cached.
 */
const compiledByVocabulary = new WeakMap<ConditionVocabulary, Map<string, CompiledCondition>>();
const MAX_COMPILED = 2_000;
/**
 * Maximum number of steps for compiling all conditions or all relay rules of one organization: about 0.3 s and 20 MB. Each
 * change of the organization can compile all of them.
 */
export const MAX_ORG_COMPILATION_STEPS = 3_000_000;
/** Compiled regular expressions take about 7 bytes of memory per step: 140 MB. */
const MAX_COMPILED_STEPS = 20_000_000;
/** Maximum number of steps for evaluating example values, and for compiling the regular expressions: 30 ms. */
const MAX_EXAMPLE_STEPS = 300_000;
const PATTERN_STEPS_EXCEEDED = `the regular expressions of a condition must compile in at most ${MAX_EXAMPLE_STEPS} steps; use shorter regular expressions, with fewer Unicode classes such as \\p{L}, and without large ranges after (?i)`;

function compileUncached(source: string, vocabulary: ConditionVocabulary): CompiledCondition {
  const expression = parseCondition(source);
  const needs = validateExpression(expression, vocabulary);
  requireBoundedCost(expression);
  const exampleSteps = new StepMeter(MAX_EXAMPLE_STEPS);
  const patterns = compilePatterns(expression, exampleSteps);
  const plain = addLoopStepCharges(expression);
  const planned = compileExpression(expression, patterns);
  const program: CelProgram = (read, steps) => {
    steps.charge(plain);
    return planned(read, steps);
  };
  evaluateExample(program, needs, vocabulary, exampleSteps);
  return {
    inputs: needs,
    compilationSteps: exampleSteps.used,
    evaluate: (variables, steps) => evaluateProgram(program, variables, steps),
  };
}

function compilePatterns(...[expression, steps]: Parameters<typeof compileLiteralPatterns>) {
  try {
    return compileLiteralPatterns(expression, steps);
  } catch (error) {
    throw error instanceof StepLimitExceededError ? new Error(PATTERN_STEPS_EXCEEDED) : error;
  }
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
  steps: StepMeter,
): void {
  const value = program(example, steps);
  if (steps.isExceeded)
    throw new Error(
      `must take at most ${MAX_EXAMPLE_STEPS} steps with short example values, but takes more; use fewer loops or shorter regular expressions`,
    );
  const failure = getCelErrorMessage(value);
  // The example cannot predict the members that clients send.
  const isOpen = [...needs].some((need) => dynamicVariables.has(need));
  if (failure !== null && !isOpen) throw new Error(failure);
  if (failure === null && typeof value !== 'boolean') throw new Error('must evaluate to true or false');
}
