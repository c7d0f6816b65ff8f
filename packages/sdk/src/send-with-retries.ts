import { attemptRequest } from './attempt-request.ts';
import type { BeatRequest } from './beat-request.ts';
import { FloeConnectionError, FloeError } from './errors.ts';
import { type Beat, parseBeatResponse } from './parse-beat-response.ts';
import { computeRetryDelaySeconds } from './retry.ts';
import type { Runtime } from './runtime.ts';

/** The result of sending one beat, after all retries. */
export interface HeartbeatResult {
  /** True if the server has committed the beat. */
  readonly ok: boolean;
  /** Number of requests. */
  readonly attempts: number;
  /** HTTP status of the last response. Null if there was none. */
  readonly status: number | null;
  /** The error of a failed beat. Null on success. */
  readonly error: FloeError | null;
  /** The server's response to the beat. Null on failure. */
  readonly beat: Beat | null;
  /** Why metadata was omitted, by the SDK or the server. Null if all of it arrived. */
  readonly metadataDropped: string | null;
}

/** The time limits of a request and its retries. */
export interface SendTimeLimits {
  /** Timeout of one attempt in seconds. */
  readonly timeoutSeconds: number;
  /** Timeout of all attempts and waits together in seconds. */
  readonly budgetSeconds: number;
  /** Whether a wait between attempts keeps the process alive. */
  readonly keepsAlive: boolean;
  readonly stop?: AbortSignal;
  /** Ends the retries. The current attempt continues. */
  readonly stopRetries?: AbortSignal;
}

/**
 * Sends a request until it succeeds, fails with an error that cannot be retried, or has used all its time.
 * Never rejects.
 */
export async function sendWithRetries(
  request: BeatRequest,
  limits: SendTimeLimits,
  runtime: Runtime,
): Promise<HeartbeatResult> {
  const startedMs = runtime.monotonic();
  for (let attempts = 1; ; attempts++) {
    const leftSeconds = limits.budgetSeconds - (runtime.monotonic() - startedMs) / 1000;
    const timeoutMs = Math.max(0, Math.min(limits.timeoutSeconds, leftSeconds)) * 1000;
    const received = await attemptRequest(request, timeoutMs, runtime, limits.stop);
    const outcome =
      received instanceof FloeError ? received : parseBeatResponse(request, received, runtime.now());
    if (!(outcome instanceof FloeError))
      return {
        ok: true,
        attempts,
        status: received instanceof FloeError ? null : received.status,
        error: null,
        beat: outcome.beat,
        metadataDropped: request.metadataDropped ?? outcome.metadataDropped,
      };
    const elapsedSeconds = (runtime.monotonic() - startedMs) / 1000;
    const { budgetSeconds } = limits;
    const progress = { attempts, elapsedSeconds, budgetSeconds, random: runtime.random() };
    const delay = computeRetryDelaySeconds(outcome, progress);
    if (delay === null || isStopped(limits))
      return toFailedHeartbeatResult(outcome, attempts, request.metadataDropped);
    await waitForRetry(delay * 1000, limits, runtime);
    if (isStopped(limits)) return toFailedHeartbeatResult(outcome, attempts, request.metadataDropped);
  }
}

/** Returns the result for a beat that could not be sent. */
export function toFailedHeartbeatResult(
  error: FloeError,
  attempts: number,
  metadataDropped: string | null = null,
): HeartbeatResult {
  return { ok: false, attempts, status: error.status, error, beat: null, metadataDropped };
}

/** Converts an unexpected exception in this SDK to a result, so that it does not reach the job. */
export function toUnexpectedErrorResult(error: unknown): HeartbeatResult {
  const message = error instanceof Error ? error.message : 'unknown';
  return toFailedHeartbeatResult(
    error instanceof FloeError
      ? error
      : new FloeConnectionError(`the beat could not be sent: ${message}`, { code: 'connection_failed' }),
    0,
  );
}

function isStopped({ stop, stopRetries }: SendTimeLimits): boolean {
  return stop?.aborted === true || stopRetries?.aborted === true;
}

function waitForRetry(ms: number, limits: SendTimeLimits, runtime: Runtime): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      timer.cancel();
      limits.stop?.removeEventListener('abort', done);
      limits.stopRetries?.removeEventListener('abort', done);
      resolve();
    };
    const timer = runtime.after(ms, done, limits.keepsAlive);
    limits.stop?.addEventListener('abort', done, { once: true });
    limits.stopRetries?.addEventListener('abort', done, { once: true });
  });
}
