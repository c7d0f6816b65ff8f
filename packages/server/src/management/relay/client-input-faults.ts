import { RuleError } from '@floe/relay/rules/compile-rule';
import { createInvalidInputFault } from '../validate-input.ts';

/**
 * Runs `compile` on client input and returns its result.
 * @throws Fault `invalid_request` that names the invalid field
 */
export function withClientInputFaults<Result>(compile: () => Result): Result {
  try {
    return compile();
  } catch (error) {
    if (!(error instanceof RuleError)) throw error;
    throw createInvalidInputFault({ path: error.path, message: error.message });
  }
}
