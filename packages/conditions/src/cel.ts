import { createRequire } from 'node:module';
import type { Variables } from './vocabulary.ts';

type Cel = typeof import('@bufbuild/cel');
export type Expression = ReturnType<Cel['parse']>['expr'];

/** A condition as the library runs it. */
export type Program = (variables: Variables) => unknown;

let loaded: Cel | null = null;

/**
 * The CEL library. Loading it takes a tenth of a second, so only the first condition of a process does; a
 * configuration is checked and compiled in one go, so it is loaded in one go too.
 */
function cel(): Cel {
  loaded ??= load();
  return loaded;
}

function load(): Cel {
  const library: Cel = createRequire(import.meta.url)('@bufbuild/cel');
  return library;
}

/** @throws Error with the parser's words */
export function parseCondition(source: string): Expression {
  return cel().parse(source).expr;
}

export function planCondition(expression: Expression): Program {
  const { celEnv, plan } = cel();
  return plan(celEnv(), expression);
}

/** What a program gives back in place of a value it could not find; null when it found one. */
export function failureOf(value: unknown): string | null {
  return cel().isCelError(value) ? value.message : null;
}
