/** The maximum number of retries after the first attempt. */
export const MAX_RETRIES = 3;
const INITIAL_DELAY_SECONDS = 0.5;

/** The properties of a failed attempt that determine whether it is retried. */
export interface FailedAttempt {
  readonly retryable: boolean;
  readonly retryAfterSeconds: number | null;
}

/** The attempts of one call so far. */
export interface RetryProgress {
  /** Number of attempts so far, including the failed one. */
  readonly attempts: number;
  readonly elapsedSeconds: number;
  readonly budgetSeconds: number;
  /** Random number in [0, 1). */
  readonly random: number;
}

/**
 * Returns the number of seconds until the next attempt, or null to give up (golden file
 * `retries.json`). The delay doubles with full jitter. If the server's Retry-After exceeds the
 * remaining time budget, returns null instead of retrying earlier.
 */
export function computeRetryDelay(error: FailedAttempt, progress: RetryProgress): number | null {
  if (!error.retryable || progress.attempts > MAX_RETRIES) return null;
  const jitter = progress.random * INITIAL_DELAY_SECONDS * 2 ** (progress.attempts - 1);
  const delay = (error.retryAfterSeconds ?? 0) + jitter;
  return progress.elapsedSeconds + delay < progress.budgetSeconds ? delay : null;
}
