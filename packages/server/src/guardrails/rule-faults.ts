import { Fault } from '@floe/contract/faults';
import type { GuardrailRuleClaim } from './rule-claim.ts';

const UNITS = {
  requests: (plural: string) => `request${plural} in 60 seconds`,
  tokens: (plural: string) => `token${plural} in 60 seconds`,
  concurrency: (plural: string) => `concurrent request${plural}`,
  usd: (plural: string) => `US dollar${plural}`,
} as const;

/** Used if the time to wait is unknown. */
const DEFAULT_RETRY_MS = 1_000;

/** Returns the 429 of a Floe rate limit. Floe does not try another provider for it. */
export function rateLimitFault(
  { name, ruleId, limit, unit }: GuardrailRuleClaim,
  retryAfterMs: number | null,
): Fault {
  const waitMs = retryAfterMs ?? DEFAULT_RETRY_MS;
  const wait =
    unit === 'concurrency'
      ? 'Wait until one of these requests completes.'
      : `Try again in ${Math.ceil(waitMs / 1000)} s.`;
  return new Fault(
    'rate_limit_exceeded',
    `The limit "${name}" allows ${limit.toLocaleString('en-US')} ${UNITS[unit](limit === 1 ? '' : 's')}. ${wait}`,
    { retryAfterMs: waitMs, rule: { kind: 'limit', id: ruleId } },
  );
}

/**
 * Returns the fault of a hard budget that does not cover the maximum cost of a request. `usedNanoUsd`
 * includes the reservations of requests in progress.
 */
export function budgetExceededFault(claim: GuardrailRuleClaim, usedNanoUsd: number): Fault {
  const remains = Math.max(0, claim.limit - usedNanoUsd);
  return budgetSpentFault(
    claim,
    `cannot cover this request: the request may cost up to ${formatUsd(claim.amount)}, but only ${formatUsd(remains)} is left`,
  );
}

/** Returns the fault of a hard budget that was used up during a stream. */
export function budgetUsedUpFault(claim: GuardrailRuleClaim): Fault {
  return budgetSpentFault(claim, 'was exhausted while this response was being streamed');
}

/**
 * Returns the fault of a hard budget whose remaining amount is reserved by other requests. Unused
 * reservations are released when these requests end.
 */
export function budgetReservedFault(
  { name, ruleId, limit }: GuardrailRuleClaim,
  retryAfterMs: number,
): Fault {
  return new Fault(
    'budget_reserved',
    `The remaining amount of the ${formatUsd(limit)} budget "${name}" is reserved for requests in progress. Try again in ${Math.ceil(retryAfterMs / 1000)} s.`,
    { retryAfterMs, rule: { kind: 'budget', id: ruleId } },
  );
}

function budgetSpentFault({ name, ruleId, limit, endsAt }: GuardrailRuleClaim, what: string): Fault {
  const reset =
    endsAt === 0
      ? 'The budget never resets. Raise it to continue.'
      : `The budget resets at ${new Date(endsAt).toISOString()}.`;
  return new Fault('budget_exceeded', `The ${formatUsd(limit)} budget "${name}" ${what}. ${reset}`, {
    rule: { kind: 'budget', id: ruleId },
  });
}

function formatUsd(nanoUsd: number): string {
  return `$${(nanoUsd / 1_000_000_000).toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 9 })}`;
}
