import { createRequire } from 'node:module';
import type { CelExpression, CelLibrary } from './cel-library.ts';
import { createMeteredEnvironment } from './metered-environment.ts';
import { StepMeter } from './step-meter.ts';
import type { ConditionVariables } from './vocabulary.ts';

/** A condition as the library runs it. */
export type CelProgram = (variables: ConditionVariables, steps: StepMeter) => unknown;

interface LoadedLibrary {
  readonly cel: CelLibrary;
  readonly environment: ReturnType<CelLibrary['celEnv']>;
}

let loaded: LoadedLibrary | null = null;
/** Of the program that runs: programs run to their end, one at a time. */
let current = new StepMeter(0);

/**
 * The CEL library. Loading it takes a tenth of a second, so only the first condition of a process does; a
 * configuration is checked and compiled in one go, so it is loaded in one go too.
 */
function getLibrary(): LoadedLibrary {
  loaded ??= loadLibrary();
  return loaded;
}

function loadLibrary(): LoadedLibrary {
  const cel: CelLibrary = createRequire(import.meta.url)('@bufbuild/cel');
  return { cel, environment: createMeteredEnvironment(cel, () => current) };
}

/** @throws Error with the parser's words */
export function parseCondition(source: string): CelExpression {
  return getLibrary().cel.parse(source).expr;
}

export function planExpression(expression: CelExpression): CelProgram {
  const { cel, environment } = getLibrary();
  const program = cel.plan(environment, expression);
  return (variables, steps) => {
    current = steps;
    return program(variables);
  };
}

/** What a program gives back in place of a value it could not find; null when it found one. */
export function celErrorMessage(value: unknown): string | null {
  return getLibrary().cel.isCelError(value) ? value.message : null;
}
