import { Fault } from '@floe/contract/faults';
import { RuleProblem } from '@floe/relay/rules/rule';
import { pathText } from '../input.ts';

/** Compiles what a client sent. @throws Fault `invalid_request` naming the field that cannot be used */
export function compiledFor<Result>(compile: () => Result): Result {
  try {
    return compile();
  } catch (error) {
    if (!(error instanceof RuleProblem)) throw error;
    const param = pathText(error.path);
    throw new Fault('invalid_request', `${param}: ${error.message}`, { param, cause: error });
  }
}
