import { Fault } from '@floe/contract/faults';
import type { BreakerAdmission } from '../guardrails/breakers/circuit-breaker.ts';
import { isCredentialSpecificError, isUnsentRequestError } from './classify-retry.ts';
import type { Exchange } from './exchange-record.ts';
import type { Target } from './org-catalog.ts';
import { ForwardedUpstreamError } from './upstream-error.ts';

/**
 * Reports a failed attempt to the breaker of its target. An error that the caller or the caller's own
 * credential caused counts as a success, because the target responded. An attempt that the caller ended (the
 * caller disconnected, or the caller's deadline passed), or whose request was never sent, counts as neither
 * success nor failure.
 */
export function reportAttemptFailure(
  x: Exchange,
  target: Target,
  error: unknown,
  admission: BreakerAdmission,
): void {
  const { breakers } = x.gateway;
  const { orgId } = x.caller.key;
  const isCallers = target.provider.usesCallerCredential && isCredentialSpecificError(error);
  if (isCallers) return breakers.recordSuccess(orgId, target, null, admission);
  if (error instanceof ForwardedUpstreamError)
    return reportUpstreamRefusal(x, target, error.status, admission);
  if (!(error instanceof Fault) || isUnsentRequestError(error))
    return breakers.recordAbandoned(orgId, target, admission);
  const { code, detail } = error;
  switch (code) {
    case 'upstream_timeout':
      if (detail.phase === 'total') return breakers.recordAbandoned(orgId, target, admission);
      return breakers.recordFailure(orgId, target, `${detail.phase} deadline`, admission);
    case 'upstream_unreachable':
    case 'upstream_error':
    case 'upstream_stream_broken':
      return breakers.recordFailure(orgId, target, code, admission);
    case 'upstream_auth_failed':
      return breakers.recordCredentialFailure(orgId, target, detail.spent ? 'quota_spent' : code);
    case 'upstream_rate_limited':
      return breakers.recordRateLimit(orgId, target, detail.retryAfterMs);
    case 'request_timeout':
      return breakers.recordFailure(orgId, target, `status ${detail.upstreamStatus}`, admission);
    case 'overloaded':
    case 'missing_api_key':
    case 'key_revoked':
    case 'key_expired':
      return breakers.recordAbandoned(orgId, target, admission);
    default:
      return breakers.recordSuccess(orgId, target, null, admission);
  }
}

function reportUpstreamRefusal(
  x: Exchange,
  target: Target,
  status: number,
  admission: BreakerAdmission,
): void {
  const { breakers } = x.gateway;
  const { orgId } = x.caller.key;
  if (status === 402) breakers.recordCredentialFailure(orgId, target, 'payment_required');
  else if (status === 408 || status === 425)
    breakers.recordFailure(orgId, target, `status ${status}`, admission);
  else breakers.recordSuccess(orgId, target, null, admission);
}
