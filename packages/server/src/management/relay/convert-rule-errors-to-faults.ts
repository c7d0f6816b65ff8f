import { InvalidRelayRuleError } from '@floe/relay/rules/compile-rule-field';
import { createInvalidInputFault } from '../validate-input.ts';

/**
 * Runs `compile` on client input and returns its result.
 * @throws Fault `invalid_request` that names the invalid field
 */
export function convertRuleErrorsToFaults<Result>(compile: () => Result): Result {
  try {
    return compile();
  } catch (error) {
    if (!(error instanceof InvalidRelayRuleError)) throw error;
    throw createInvalidInputFault({ path: error.path, message: error.message });
  }
}
