/** Thrown if a field of a rule is invalid. `message` completes the sentence "<path>: …". */
export class InvalidRelayRuleError extends Error {
  readonly path: readonly (string | number)[];

  constructor(path: readonly (string | number)[], message: string) {
    super(message);
    this.path = path;
  }
}

/**
 * Calls `compile` for a field of a rule and returns its result. Adds the path of the field to errors.
 * @throws InvalidRelayRuleError if `compile` throws
 */
export function compileRuleField<Result>(path: readonly (string | number)[], compile: () => Result): Result {
  try {
    return compile();
  } catch (error) {
    throw new InvalidRelayRuleError(path, error instanceof Error ? error.message : String(error));
  }
}
