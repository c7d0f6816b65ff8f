/** The maximum number of retries after the first attempt. */
export const MAX_RETRIES = 3;
const INITIAL_DELAY_SECONDS = 0.5;

/** The properties of a failed attempt that determine whether there is another attempt. */
export interface FailedAttempt {
  readonly retryable: boolean;
  readonly retryAfterSeconds: number | null;
}

/** How many attempts of a request were made, and how much time is left for more. */
export interface RetryProgress {
  /** Number of attempts so far, including the failed one. */
  readonly attempts: number;
  readonly elapsedSeconds: number;
  readonly budgetSeconds: number;
  /** Random number in [0, 1). */
  readonly random: number;
}

/**
 * Returns the number of seconds until the next attempt, or null if there must be no further attempt. The
 * golden file `retries.json` defines the expected results. The maximum delay doubles with each attempt, and
 * the actual delay is random (full jitter). If the delay would exceed the remaining time, returns null.
 */
export function computeRetryDelaySeconds(error: FailedAttempt, progress: RetryProgress): number | null {
  if (!error.retryable || progress.attempts > MAX_RETRIES) return null;
  const jitter = progress.random * INITIAL_DELAY_SECONDS * 2 ** (progress.attempts - 1);
  const delay = (error.retryAfterSeconds ?? 0) + jitter;
  return progress.elapsedSeconds + delay < progress.budgetSeconds ? delay : null;
}
