export const MAX_RETRIES = 3;
const INITIAL_DELAY_SECONDS = 0.5;

export interface FailedAttempt {
  readonly retryable: boolean;
  readonly retryAfterSeconds: number | null;
}

export interface RetryProgress {
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
export function computeRetryDelay(error: FailedAttempt, progress: RetryProgress): number | null {
  if (!error.retryable || progress.attempts > MAX_RETRIES) return null;
  const jitter = progress.random * INITIAL_DELAY_SECONDS * 2 ** (progress.attempts - 1);
  const delay = (error.retryAfterSeconds ?? 0) + jitter;
  return progress.elapsedSeconds + delay < progress.budgetSeconds ? delay : null;
}
