import { createRequire } from 'node:module';
import type { CelExpression, CelLibrary } from './cel-library.ts';
import { type ConditionEvaluationContext, createMeteredEnvironment } from './metered-environment.ts';
import type { RegularExpressionMatcher } from './regular-expression.ts';
import { StepMeter } from './step-meter.ts';
import type { ConditionVariables } from './vocabulary.ts';

/**
 * A compiled expression. Evaluates the expression with these variables and returns its value, or a CEL error
 * value. If the step limit is exceeded, `steps.isExceeded` is true afterwards, and the result is not valid.
 */
export type CelProgram = (variables: ConditionVariables, steps: StepMeter) => unknown;

interface LoadedLibrary {
  readonly cel: CelLibrary;
  readonly environment: ReturnType<CelLibrary['celEnv']>;
}

let loaded: LoadedLibrary | null = null;
/** The current evaluation. Evaluations run to completion, one at a time. */
let current: ConditionEvaluationContext = { steps: new StepMeter(0), patterns: new Map() };

/**
 * Loads the CEL library with the first condition of the process, which takes 0.1 s. The load is synchronous,
 * because a configuration is validated and compiled synchronously.
 */
function getLibrary(): LoadedLibrary {
  loaded ??= loadLibrary();
  return loaded;
}

function loadLibrary(): LoadedLibrary {
  const cel: CelLibrary = createRequire(import.meta.url)('@bufbuild/cel');
  return { cel, environment: createMeteredEnvironment(cel, () => current) };
}

/**
 * Parses a condition in CEL. Does not check whether its names exist (see `validateExpression`).
 * @throws Error with the message of the parser
 */
export function parseCondition(source: string): CelExpression {
  return getLibrary().cel.parse(source).expr;
}

/**
 * Compiles a parsed expression to a function that evaluates it.
 * @param patterns The compiled regular expressions of the condition, by their text.
 */
export function compileExpression(
  expression: CelExpression,
  patterns: ReadonlyMap<string, RegularExpressionMatcher>,
): CelProgram {
  const { cel, environment } = getLibrary();
  const program = cel.plan(environment, expression);
  return (variables, steps) => {
    current = { steps, patterns };
    return program(variables);
  };
}

/** Returns the message of a CEL error value that an evaluation returned. Returns null for any other value. */
export function getCelErrorMessage(value: unknown): string | null {
  return getLibrary().cel.isCelError(value) ? value.message : null;
}
