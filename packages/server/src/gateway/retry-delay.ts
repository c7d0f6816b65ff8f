import { Fault } from '@floe/contract/faults';
import { classifyRetry, computeBackoffDelayMs, MAX_RETRY_WAIT_MS } from './classify-retry.ts';
import type { Exchange } from './exchange-record.ts';
import { MIN_FIRST_TOKEN_DEADLINE_MS } from './first-token-deadline.ts';
import type { Target } from './org-catalog.ts';
import { getTargetName } from './routing-strategy.ts';

/**
 * Maximum wait for a rate-limited target whose provider has cached the prompt. Another target would process
 * and charge the whole prompt.
 */
const WARM_WAIT_MS = 2_000;

/** The attempts that an exchange has made at one target, and the conditions for another one. */
export interface TargetAttempts {
  readonly retries: number;
  readonly maxRetries: number;
  /** Whether no other target is left. */
  readonly isLast: boolean;
  /**
   * Whether the target responded in this conversation recently, so that its provider has cached the prompt.
   */
  readonly isWarm: boolean;
  /** Monotonic milliseconds at which the exchange must end. */
  readonly deadlineAt: number;
}

/**
 * Takes a retry from the retry budget, and returns its delay in milliseconds. Returns null for no retry. If there is no
 * retry because another target is available or the retry budget is exhausted, adds this reason to the decisions
 * of the exchange.
 */
export function acquireRetryDelayMs(
  x: Exchange,
  target: Target,
  error: unknown,
  tries: TargetAttempts,
): number | null {
  if (tries.retries >= tries.maxRetries || classifyRetry(error) !== 'same_target') return null;
  const why = tries.isLast ? null : reasonToMoveOn(x, target, error, tries);
  if (why !== null) {
    recordSendDecision(x, 'no_retry', `${getTargetName(target)}: ${why}`);
    return null;
  }
  const { breakers, clock, random } = x.gateway;
  const orgId = x.caller.key.orgId;
  const jittered = computeBackoffDelayMs(error, tries.retries, random);
  if (jittered === null) return null;
  const wait = Math.max(jittered, breakers.cooldownMs(orgId, target));
  if (wait > MAX_RETRY_WAIT_MS || breakers.waitMs(orgId, target) > wait) return null;
  if (clock.monotonic() + wait >= tries.deadlineAt) return null;
  if (breakers.acquireRetry(orgId, target)) return wait;
  recordSendDecision(
    x,
    'no_retry',
    `${getTargetName(target)}: the retry budget for the current 30-second window is exhausted`,
  );
  return null;
}

/** Describes a failed target and its error for the decisions of the exchange. */
export function describeTargetFailure(target: Target, error: unknown): string {
  return `${getTargetName(target)}: ${error instanceof Error ? error.message : String(error)}`;
}

/** Returns why the next target is preferable to a retry; null if it is not. */
function reasonToMoveOn(
  x: Exchange,
  target: Target,
  error: unknown,
  { isWarm }: TargetAttempts,
): string | null {
  if (!(error instanceof Fault && error.code === 'upstream_rate_limited')) return reasonForSilence(x);
  if (!isWarm) return 'rate limited; another target is available, and the prompt cache is not warm';
  const cooling = x.gateway.breakers.cooldownMs(x.caller.key.orgId, target);
  const asked = Math.ceil(Math.max(error.detail.retryAfterMs ?? 0, cooling));
  if (asked > WARM_WAIT_MS)
    return `rate limited for ${asked} ms; Floe waits at most ${WARM_WAIT_MS} ms for a target with a warm prompt cache, and another target is available`;
  recordSendDecision(
    x,
    'waits',
    `${getTargetName(target)}: rate limited for ${asked} ms, and its prompt cache is warm`,
  );
  return null;
}

/**
 * Returns why a target that failed after a long silence is not retried; null if it was not silent for long.
 */
function reasonForSilence({ attempts }: Exchange): string | null {
  const last = attempts.at(-1);
  const silentMs = last?.first_token_ms === null ? (last.duration_ms ?? 0) : 0;
  if (silentMs < MIN_FIRST_TOKEN_DEADLINE_MS) return null;
  return `sent no content for ${Math.round(silentMs / 1000)} s before it failed; another target is available`;
}

function recordSendDecision(x: Exchange, outcome: string, reason: string): void {
  x.decisions.push({ step: 'send', outcome, reason });
}
