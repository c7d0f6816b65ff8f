export const MAX_RETRIES = 3;
const FIRST_DELAY_SECONDS = 0.5;

export interface Failed {
  readonly retryable: boolean;
  readonly retryAfterSeconds: number | null;
}

export interface Spent {
  /** Made so far, the failed one included. */
  readonly attempts: number;
  readonly elapsedSeconds: number;
  readonly budgetSeconds: number;
  /** In [0, 1). */
  readonly random: number;
}

/**
 * Seconds until the next attempt, or null to give up (golden `retries.json`). Full jitter, doubling; a Retry-After is
 * kept whole or not at all, for coming back early is what the server asked us not to do.
 */
export function retryDelay(error: Failed, spent: Spent): number | null {
  if (!error.retryable || spent.attempts > MAX_RETRIES) return null;
  const jitter = spent.random * FIRST_DELAY_SECONDS * 2 ** (spent.attempts - 1);
  const delay = (error.retryAfterSeconds ?? 0) + jitter;
  return spent.elapsedSeconds + delay < spent.budgetSeconds ? delay : null;
}
