/**
 * The maximum number of steps for evaluating all conditions against one prompt, response or event. Evaluating
 * one node of an expression takes one step. Reading a long string or list in a function takes further steps. A
 * step takes about 0.1 µs.
 */
export const MAX_EVALUATION_STEPS = 1_000_000;

/** Thrown if an evaluation needs more steps than are allowed. */
export class StepLimitExceededError extends Error {
  override readonly name = 'StepLimitExceededError';
}

/** Counts the steps of one evaluation. After the limit is exceeded, every further charge fails. */
export class StepMeter {
  readonly limit: number;
  #used = 0;

  constructor(limit = MAX_EVALUATION_STEPS) {
    this.limit = limit;
  }

  get used(): number {
    return this.#used;
  }

  get isExceeded(): boolean {
    return this.#used > this.limit;
  }

  /**
   * Charges for work before it is done.
   * @throws StepLimitExceededError if more steps are needed than remain
   */
  charge(steps: number): void {
    this.#used += steps;
    if (this.isExceeded) throw new StepLimitExceededError(describeStepLimit(this.limit));
  }
}

/**
 * Returns the reason to insert into an error such as "its condition could not be evaluated (…)".
 * @example
 * describeStepLimit(100); // 'more than 100 steps'
 */
export function describeStepLimit(limit: number): string {
  return `more than ${limit} steps`;
}
