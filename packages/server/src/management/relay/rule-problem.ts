import { RuleProblem } from '@floe/relay/rules/rule';
import { refused } from '../input.ts';

/** Compiles what a client sent. @throws Fault `invalid_request` naming the field that cannot be used */
export function compiledFor<Result>(compile: () => Result): Result {
  try {
    return compile();
  } catch (error) {
    if (!(error instanceof RuleProblem)) throw error;
    throw refused({ path: error.path, message: error.message });
  }
}
