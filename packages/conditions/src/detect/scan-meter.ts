/** Thrown if the scans of a request or response would read more characters than their limit allows. */
export class ScanLimitExceededError extends Error {
  override readonly name = 'ScanLimitExceededError';
}

/**
 * Limits the work of all scans that share it. Counts each character as often as it is read, and each replaced part of a
 * rewritten text as another character, because both take about the same time.
 */
export class ScanMeter {
  readonly #maxChars: number;
  #remaining: number;

  /** @param maxChars maximum number of characters; default: no limit */
  constructor(maxChars = Number.POSITIVE_INFINITY) {
    this.#maxChars = maxChars;
    this.#remaining = maxChars;
  }

  /** Counts characters that are about to be read. @throws ScanLimitExceededError */
  charge(chars: number): void {
    this.requireRemaining(chars);
    this.#remaining -= chars;
  }

  /** Requires that the limit allows another `chars` characters, without counting them. @throws ScanLimitExceededError */
  requireRemaining(chars: number): void {
    if (chars > this.#remaining)
      throw new ScanLimitExceededError(
        `Scanning would read more than ${this.#maxChars.toLocaleString('en-US')} characters in total. A character that is read several times counts each time.`,
      );
  }
}
