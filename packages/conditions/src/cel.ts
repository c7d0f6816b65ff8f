import { createRequire } from 'node:module';
import type { Cel, Expression } from './cel-library.ts';
import { countedEnvironment } from './counted-functions.ts';
import { StepMeter } from './steps.ts';
import type { Variables } from './vocabulary.ts';

/** A condition as the library runs it. */
export type Program = (variables: Variables, steps: StepMeter) => unknown;

interface Library {
  readonly cel: Cel;
  readonly environment: ReturnType<Cel['celEnv']>;
}

let loaded: Library | null = null;
/** Of the program that runs: programs run to their end, one at a time. */
let current = new StepMeter(0);

/**
 * The CEL library. Loading it takes a tenth of a second, so only the first condition of a process does; a
 * configuration is checked and compiled in one go, so it is loaded in one go too.
 */
function library(): Library {
  loaded ??= load();
  return loaded;
}

function load(): Library {
  const cel: Cel = createRequire(import.meta.url)('@bufbuild/cel');
  return { cel, environment: countedEnvironment(cel, () => current) };
}

/** @throws Error with the parser's words */
export function parseCondition(source: string): Expression {
  return library().cel.parse(source).expr;
}

export function planCondition(expression: Expression): Program {
  const { cel, environment } = library();
  const program = cel.plan(environment, expression);
  return (variables, steps) => {
    current = steps;
    return program(variables);
  };
}

/** What a program gives back in place of a value it could not find; null when it found one. */
export function failureOf(value: unknown): string | null {
  return library().cel.isCelError(value) ? value.message : null;
}
