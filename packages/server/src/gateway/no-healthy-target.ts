import { Fault } from '@floe/contract/faults';
import type { Breakers } from '../guardrails/breakers/breakers.ts';
import type { BreakerAdmission } from '../guardrails/breakers/circuit-breaker.ts';
import type { Exchange } from './exchange-record.ts';
import type { Target } from './org-catalog.ts';
import { getTargetName } from './routing-strategy.ts';

/** Minimum `retry-after`, because a half-open or ramping target may accept the next request. */
const MIN_RETRY_AFTER_MS = 1_000;

/** Describes why a breaker rejected a request to its target. */
export function describeBreakerRejection(
  breakers: Breakers,
  orgId: string,
  target: Target,
  admission: BreakerAdmission,
): string {
  const { name } = target.credential;
  const seconds = Math.ceil(breakers.waitMs(orgId, target) / 1000);
  switch (admission) {
    case 'cooling':
      return `credential "${name}" is rate limited for another ${seconds} s`;
    case 'forced_open':
      return `the breaker of credential "${name}" was forced open`;
    case 'probing':
      return 'its breaker is half open, and another request is the probe';
    case 'ramping':
      return 'its breaker currently admits only a share of the requests';
    default:
      return `its breaker is open for another ${seconds} s (${breakers.openReason(orgId, target)})`;
  }
}

/**
 * Returns the 503 fault for a request whose targets are all unavailable, so that none was tried.
 * The fault contains the time after which to retry.
 */
export function createNoHealthyTargetFault(
  { gateway }: Exchange,
  orgId: string,
  setAside: readonly Target[],
): Fault {
  const { breakers } = gateway;
  const waits = setAside.map((target) => Math.max(MIN_RETRY_AFTER_MS, breakers.waitMs(orgId, target)));
  const retryAfterMs = waits.length > 0 ? Math.min(...waits) : undefined;
  const names = [...new Set(setAside.map(getTargetName))].join(', ');
  return new Fault(
    'no_healthy_target',
    `No provider is available for this request because Floe currently sends no requests to ${names}. Retry after the time in the Retry-After header. The request log shows the reasons.`,
    retryAfterMs === undefined ? {} : { retryAfterMs },
  );
}

/** Returns the 429 fault for a target whose rate limit ends too late for the request to wait for it. */
export function createStillRateLimitedFault({ provider }: Target, coolingMs: number): Fault {
  const why = `${provider.id} is still rate limited. Retry after the time in the Retry-After header.`;
  return new Fault('upstream_rate_limited', why, { retryAfterMs: coolingMs });
}
