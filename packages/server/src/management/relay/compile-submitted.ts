import { RuleError } from '@floe/relay/rules/compile-rule';
import { invalidInputFault } from '../validate-input.ts';

/** Compiles what a client sent. @throws Fault `invalid_request` naming the field that cannot be used */
export function compileClientInput<Result>(compile: () => Result): Result {
  try {
    return compile();
  } catch (error) {
    if (!(error instanceof RuleError)) throw error;
    throw invalidInputFault({ path: error.path, message: error.message });
  }
}
