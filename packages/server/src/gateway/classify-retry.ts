import { Fault } from '@floe/contract/faults';
import type { Target } from './org-catalog.ts';
import { ForwardedUpstreamError } from './upstream-error.ts';

const INITIAL_BACKOFF_MS = 250;
const MAX_BACKOFF_MS = 8_000;
/**
 * The longest wait before a retry. If a longer wait is required, the client receives the error with
 * its `retry-after`.
 */
export const MAX_RETRY_WAIT_MS = 10_000;

/** What Floe may try next if an attempt fails before any content was received. */
export type RetryClass = 'same_target' | 'next_target' | 'other_model' | 'none';

/**
 * Error statuses that another provider may not return: no credit, unknown model, the provider's timeout, a
 * suspended account.
 */
const NEXT_TARGET_STATUSES = new Set([402, 404, 408, 412, 425]);

/**
 * Determines what may be tried after a failed attempt. A target that exceeded its connect, headers or
 * first-token deadline is not retried. The same applies if its credential is invalid or its quota is
 * exhausted. A request that is too long for one model may be sent to another model. An invalid request is
 * never retried.
 */
export function classifyRetry(error: unknown): RetryClass {
  if (error instanceof ForwardedUpstreamError) {
    if (error.isContextLength) return 'other_model';
    return classifyRefusal(error.status);
  }
  if (!(error instanceof Fault)) return 'none';
  if (error.detail.dialectCode === 'context_length_exceeded') return 'other_model';
  const { upstreamStatus, reportedStatus = upstreamStatus } = error.detail;
  if (
    !error.code.startsWith('upstream_') &&
    reportedStatus !== undefined &&
    NEXT_TARGET_STATUSES.has(reportedStatus)
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
    case 'unsupported_response':
    case 'model_not_found':
      return 'next_target';
    default:
      return 'none';
  }
}

/**
 * Classifies an error status of a provider. 200 means a stream that started with an error. A 5xx is returned
 * unchanged only if no target is left.
 */
function classifyRefusal(status: number): RetryClass {
  if (status >= 500 || status < 300) return 'same_target';
  return NEXT_TARGET_STATUSES.has(status) ? 'next_target' : 'none';
}

/**
 * Returns the delay before a retry in milliseconds: a random time up to an exponentially growing
 * maximum (full jitter), but at least as long as the provider requests. Returns null if the delay
 * would be too long.
 */
export function computeBackoffDelayMs(
  error: unknown,
  triesBefore: number,
  random: () => number,
): number | null {
  const asked = error instanceof Fault ? (error.detail.retryAfterMs ?? 0) : 0;
  if (asked > MAX_RETRY_WAIT_MS) return null;
  const ceiling = Math.min(MAX_BACKOFF_MS, INITIAL_BACKOFF_MS * 2 ** triesBefore);
  return Math.max(asked, random() * ceiling);
}

/** Returns whether another credential of the same provider and model may succeed. */
export function isCredentialSpecificError(error: unknown): boolean {
  if (error instanceof ForwardedUpstreamError) return error.status === 402 || error.status === 404;
  return (
    error instanceof Fault &&
    ['upstream_auth_failed', 'upstream_rate_limited', 'model_not_found'].includes(error.code)
  );
}

/**
 * The fault of an attempt that failed before its request was sent, for example because Floe cannot convert the
 * request for the target. Another target may accept the request.
 */
export class UnsentRequestFault extends Fault {
  constructor({ code, message, detail }: Fault) {
    super(code, message, detail);
  }
}

/** Returns whether an attempt failed before its request was sent. Another target may accept the request. */
export function isUnsentRequestError(error: unknown): boolean {
  return error instanceof UnsentRequestFault;
}

/**
 * Chooses which error to report when all targets have failed. A request that was not sent is reported
 * only if no target was tried. A rate limit is reported only if every tried target returned one.
 * Otherwise, the last error that is neither of these is reported.
 */
export function selectReportedFailure(failures: readonly unknown[]): unknown {
  const limited = (error: unknown) => error instanceof Fault && error.code === 'upstream_rate_limited';
  const met = failures.filter((error) => !isUnsentRequestError(error));
  return met.findLast((error) => !limited(error)) ?? met.at(-1) ?? failures.at(-1);
}

/** A failed target and its error. */
export interface TargetFailure {
  readonly target: Target;
  readonly error: unknown;
}

/**
 * Returns the reason why an attempt at `target` cannot succeed, based on earlier failures; null if it may
 * succeed. After a failure at the same provider and model, another credential helps only if the failure was
 * caused by the credential.
 */
export function findReasonToSkipTarget(failures: readonly TargetFailure[], target: Target): string | null {
  for (const { target: tried, error } of failures) {
    const sameModel = tried.model === target.model;
    const remedy = classifyRetry(error);
    const isUseless =
      remedy === 'other_model'
        ? sameModel
        : sameModel && tried.provider === target.provider && !isCredentialSpecificError(error);
    if (isUseless) return remedy === 'other_model' ? 'the same model' : 'the same model at the same provider';
  }
  return null;
}
