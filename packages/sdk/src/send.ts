import { type Beat, readAnswer } from './answer.ts';
import { attempt } from './attempt.ts';
import type { Call } from './call.ts';
import { FloeConnectionError, FloeError } from './errors.ts';
import { retryDelay } from './retry.ts';
import type { Surroundings } from './surroundings.ts';

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

export interface Limits {
  /** Of one attempt, in seconds. */
  readonly timeoutSeconds: number;
  /** Of all attempts and the waits between them, in seconds. */
  readonly budgetSeconds: number;
  /** Whether a wait between attempts keeps the process from ending. */
  readonly keepsAlive: boolean;
  readonly stop?: AbortSignal;
}

/** Makes a call until it succeeds, cannot succeed, or its budget is used up. Never rejects. */
export async function send(call: Call, limits: Limits, around: Surroundings): Promise<HeartbeatResult> {
  const startedMs = around.monotonic();
  for (let attempts = 1; ; attempts++) {
    const leftSeconds = limits.budgetSeconds - (around.monotonic() - startedMs) / 1000;
    const timeoutMs = Math.max(0, Math.min(limits.timeoutSeconds, leftSeconds)) * 1000;
    const received = await attempt(call, timeoutMs, around, limits.stop);
    const outcome = received instanceof FloeError ? received : readAnswer(call, received, around.now());
    if (!(outcome instanceof FloeError))
      return {
        ok: true,
        attempts,
        status: received instanceof FloeError ? null : received.status,
        error: null,
        beat: outcome.beat,
        metadataDropped: call.metadataDropped ?? outcome.metadataDropped,
      };
    const elapsedSeconds = (around.monotonic() - startedMs) / 1000;
    const { budgetSeconds } = limits;
    const spent = { attempts, elapsedSeconds, budgetSeconds, random: around.random() };
    const delay = retryDelay(outcome, spent);
    if (delay === null || limits.stop?.aborted) return failure(outcome, attempts, call.metadataDropped);
    await wait(delay * 1000, limits, around);
    if (limits.stop?.aborted) return failure(outcome, attempts, call.metadataDropped);
  }
}

/** A beat that was not delivered. */
export function failure(
  error: FloeError,
  attempts: number,
  metadataDropped: string | null = null,
): HeartbeatResult {
  return { ok: false, attempts, status: error.status, error, beat: null, metadataDropped };
}

/** What a defect of this SDK becomes: a report, never an exception in the job. */
export function unforeseen(error: unknown): HeartbeatResult {
  const message = error instanceof Error ? error.message : 'unknown';
  return failure(
    error instanceof FloeError
      ? error
      : new FloeConnectionError(`the beat could not be sent: ${message}`, { code: 'connection_failed' }),
    0,
  );
}

function wait(ms: number, limits: Limits, around: Surroundings): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      timer.cancel();
      limits.stop?.removeEventListener('abort', done);
      resolve();
    };
    const timer = around.after(ms, done, limits.keepsAlive);
    limits.stop?.addEventListener('abort', done, { once: true });
  });
}
