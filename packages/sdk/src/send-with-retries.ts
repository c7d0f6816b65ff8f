import { attemptRequest } from './attempt-request.ts';
import type { HeartbeatRequest } from './beat-request.ts';
import { FloeConnectionError, FloeError } from './errors.ts';
import { type Beat, parseHeartbeatResponse } from './parse-heartbeat-response.ts';
import { computeRetryDelay } from './retry.ts';
import type { Runtime } from './runtime.ts';

/** What became of one beat, its retries included. */
export interface HeartbeatResult {
  /** The server has committed the beat. */
  readonly ok: boolean;
  /** Requests made for it. */
  readonly attempts: number;
  /** HTTP status of the last answer; null when none came. */
  readonly status: number | null;
  /** Why it failed; null when it did not. */
  readonly error: FloeError | null;
  /** What the server says about the beat; null when it failed. */
  readonly beat: Beat | null;
  /** Why metadata stayed behind, here or on the server; null when all of it arrived. */
  readonly metadataDropped: string | null;
}

export interface SendLimits {
  /** Of one attempt, in seconds. */
  readonly timeoutSeconds: number;
  /** Of all attempts and the waits between them, in seconds. */
  readonly budgetSeconds: number;
  /** Whether a wait between attempts keeps the process from ending. */
  readonly keepsAlive: boolean;
  readonly stop?: AbortSignal;
}

/** Makes a call until it succeeds, cannot succeed, or its budget is used up. Never rejects. */
export async function sendWithRetries(
  request: HeartbeatRequest,
  limits: SendLimits,
  runtime: Runtime,
): Promise<HeartbeatResult> {
  const startedMs = runtime.monotonic();
  for (let attempts = 1; ; attempts++) {
    const leftSeconds = limits.budgetSeconds - (runtime.monotonic() - startedMs) / 1000;
    const timeoutMs = Math.max(0, Math.min(limits.timeoutSeconds, leftSeconds)) * 1000;
    const received = await attemptRequest(request, timeoutMs, runtime, limits.stop);
    const outcome =
      received instanceof FloeError ? received : parseHeartbeatResponse(request, received, runtime.now());
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
    const delay = computeRetryDelay(outcome, progress);
    if (delay === null || limits.stop?.aborted)
      return toFailedResult(outcome, attempts, request.metadataDropped);
    await waitForRetry(delay * 1000, limits, runtime);
    if (limits.stop?.aborted) return toFailedResult(outcome, attempts, request.metadataDropped);
  }
}

/** A beat that was not delivered. */
export function toFailedResult(
  error: FloeError,
  attempts: number,
  metadataDropped: string | null = null,
): HeartbeatResult {
  return { ok: false, attempts, status: error.status, error, beat: null, metadataDropped };
}

/** What a defect of this SDK becomes: a report, never an exception in the job. */
export function toUnexpectedFailure(error: unknown): HeartbeatResult {
  const message = error instanceof Error ? error.message : 'unknown';
  return toFailedResult(
    error instanceof FloeError
      ? error
      : new FloeConnectionError(`the beat could not be sent: ${message}`, { code: 'connection_failed' }),
    0,
  );
}

function waitForRetry(ms: number, limits: SendLimits, runtime: Runtime): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      timer.cancel();
      limits.stop?.removeEventListener('abort', done);
      resolve();
    };
    const timer = runtime.after(ms, done, limits.keepsAlive);
    limits.stop?.addEventListener('abort', done, { once: true });
  });
}
