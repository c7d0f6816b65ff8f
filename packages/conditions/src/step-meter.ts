/**
 * What judging one request, answer or event by all rules may take. A step is about 0.1 µs: one node of an expression, or a
 * piece of a text or list that a function reads.
 */
export const MAX_EVALUATION_STEPS = 1_000_000;

/** More steps were needed than are allowed. */
export class StepLimitExceededError extends Error {
  override readonly name = 'StepLimitExceededError';
}

/** Counts the steps of one judgement. Once they are used up, everything that is still charged fails. */
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

  /** @throws StepLimitExceededError before the work is done, when it would need more steps than are left */
  charge(steps: number): void {
    this.#used += steps;
    if (this.isExceeded) throw new StepLimitExceededError(describeStepLimit(this.limit));
  }
}

/**
 * Completes "its condition could not be judged (…)".
 *
 * @example
 * describeStepLimit(100); // 'more than 100 steps'
 */
export function describeStepLimit(limit: number): string {
  return `more than ${limit} steps`;
}
