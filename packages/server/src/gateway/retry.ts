import { Fault } from '@floe/contract/faults';
import { ForwardedUpstreamError } from './upstream-fault.ts';

const INITIAL_BACKOFF_MS = 250;
const MAX_BACKOFF_MS = 8_000;
/** A longer wait than this is the caller's to take: the fault goes on with its retry-after. */
export const MAX_RETRY_WAIT_MS = 10_000;

/** What may be tried after an attempt that failed before any content reached the client. */
export type RetryClass = 'same_target' | 'next_target' | 'other_model' | 'none';

/** Refusals another provider may not share: no money left, no such model there, its own time-out, an account suspended. */
const NEXT_TARGET_STATUSES = new Set([402, 404, 408, 412, 425]);

/**
 * Judges a failed attempt. A silent target (connect, headers or first-token deadline) is never asked again;
 * a bad credential and a spent quota stay so; what is too long for one model may fit another; a client's own
 * mistake is nobody's to retry.
 */
export function classifyRetry(error: unknown): RetryClass {
  if (error instanceof ForwardedUpstreamError) {
    if (error.isContextLength) return 'other_model';
    return classifyRefusal(error.status);
  }
  if (!(error instanceof Fault)) return 'none';
  if (error.detail.dialectCode === 'context_length_exceeded') return 'other_model';
  const { upstreamStatus } = error.detail;
  if (
    !error.code.startsWith('upstream_') &&
    upstreamStatus !== undefined &&
    NEXT_TARGET_STATUSES.has(upstreamStatus)
  )
    return 'next_target';
  switch (error.code) {
    case 'upstream_unreachable':
    case 'upstream_stream_broken':
    case 'upstream_error':
    case 'upstream_rate_limited':
      return 'same_target';
    case 'upstream_timeout':
      return error.detail.phase === 'total' ? 'none' : 'next_target';
    case 'upstream_auth_failed':
    case 'model_not_found':
      return 'next_target';
    default:
      return 'none';
  }
}

/** A 200 among them is a stream that began with its error; 5xx pass unchanged only once nobody is left to ask. */
function classifyRefusal(status: number): RetryClass {
  if (status >= 500 || status < 300) return 'same_target';
  return NEXT_TARGET_STATUSES.has(status) ? 'next_target' : 'none';
}

/**
 * Milliseconds to wait before trying a target again: full jitter over an exponential ceiling, never less than
 * the upstream asks for. Null when that is longer than anyone should be kept waiting.
 */
export function backoffDelayMs(error: unknown, triesBefore: number, random: () => number): number | null {
  const asked = error instanceof Fault ? (error.detail.retryAfterMs ?? 0) : 0;
  if (asked > MAX_RETRY_WAIT_MS) return null;
  const ceiling = Math.min(MAX_BACKOFF_MS, INITIAL_BACKOFF_MS * 2 ** triesBefore);
  return Math.max(asked, random() * ceiling);
}

/** Another credential of the same provider and model may fare better. */
export function isCredentialSpecificError(error: unknown): boolean {
  if (error instanceof ForwardedUpstreamError) return error.status === 402 || error.status === 404;
  return (
    error instanceof Fault &&
    ['upstream_auth_failed', 'upstream_rate_limited', 'model_not_found'].includes(error.code)
  );
}

/** The target was never asked: its dialect cannot carry the request, and another's may. */
export function isIneligibleTargetError(error: unknown): boolean {
  return error instanceof Fault && error.code === 'unsupported_parameter';
}

/**
 * Of the failures of all targets, the one to tell: that a target could not be asked only when none could, rate
 * limits only when every target asked said so, else the last failure that was something else.
 */
export function selectReportedFailure(failures: readonly unknown[]): unknown {
  const limited = (error: unknown) => error instanceof Fault && error.code === 'upstream_rate_limited';
  const met = failures.filter((error) => !isIneligibleTargetError(error));
  return met.findLast((error) => !limited(error)) ?? met.at(-1) ?? failures.at(-1);
}
