import { createRequire } from 'node:module';
import type { CelExpression, CelLibrary } from './cel-library.ts';
import { createMeteredEnvironment } from './metered-environment.ts';
import { StepMeter } from './step-meter.ts';
import type { ConditionVariables } from './vocabulary.ts';

/** A prepared condition that the CEL library can evaluate. */
export type CelProgram = (variables: ConditionVariables, steps: StepMeter) => unknown;

interface LoadedLibrary {
  readonly cel: CelLibrary;
  readonly environment: ReturnType<CelLibrary['celEnv']>;
}

let loaded: LoadedLibrary | null = null;
/** The meter of the current evaluation. Evaluations run to completion, one at a time. */
let current = new StepMeter(0);

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
 * Parses a condition.
 * @throws Error with the parser's message
 */
export function parseCondition(source: string): CelExpression {
  return getLibrary().cel.parse(source).expr;
}

/** Prepares a parsed expression for evaluation. */
export function compileExpression(expression: CelExpression): CelProgram {
  const { cel, environment } = getLibrary();
  const program = cel.plan(environment, expression);
  return (variables, steps) => {
    current = steps;
    return program(variables);
  };
}

/** Returns the message of an error value that an evaluation returned; null for any other value. */
export function getCelErrorMessage(value: unknown): string | null {
  return getLibrary().cel.isCelError(value) ? value.message : null;
}
