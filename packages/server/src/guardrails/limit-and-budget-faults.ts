import { Fault } from '@floe/contract/faults';
import type { LimitOrBudgetClaim } from './limit-or-budget-claim.ts';

const UNITS = {
  requests: (plural: string) => `request${plural} in 60 seconds`,
  tokens: (plural: string) => `token${plural} in 60 seconds`,
  concurrency: (plural: string) => `concurrent request${plural}`,
  usd: (plural: string) => `US dollar${plural}`,
} as const;

/** Used if the time to wait is unknown. */
const DEFAULT_RETRY_MS = 1_000;

/**
 * Returns the 429 fault for a rate limit that Floe enforces. Floe does not try another provider in
 * this case.
 */
export function createRateLimitFault(
  { name, ruleId, limit, unit }: LimitOrBudgetClaim,
  retryAfterMs: number | null,
): Fault {
  const waitMs = retryAfterMs ?? DEFAULT_RETRY_MS;
  const wait =
    unit === 'concurrency'
      ? 'Wait until a request in progress completes.'
      : `Try again in ${Math.ceil(waitMs / 1000)} s.`;
  return new Fault(
    'rate_limit_exceeded',
    `The limit "${name}" allows ${limit.toLocaleString('en-US')} ${UNITS[unit](limit === 1 ? '' : 's')}. ${wait}`,
    { retryAfterMs: waitMs, rule: { kind: 'limit', id: ruleId } },
  );
}

/**
 * Returns the fault for a hard budget whose remaining amount is less than the request's maximum
 * cost. `usedNanoUsd` includes the reservations of requests in progress.
 */
export function createInsufficientBudgetFault(claim: LimitOrBudgetClaim, usedNanoUsd: number): Fault {
  const remains = Math.max(0, claim.limit - usedNanoUsd);
  return budgetSpentFault(
    claim,
    `cannot cover this request: the request could cost up to ${formatUsd(claim.amount)}, but only ${formatUsd(remains)} is left`,
  );
}

/** Returns the fault for a hard budget that is exhausted while a response is being streamed. */
export function createBudgetExhaustedFault(claim: LimitOrBudgetClaim): Fault {
  return budgetSpentFault(claim, 'was exhausted while this response was being streamed');
}

/**
 * Returns the fault for a hard budget whose remaining amount is reserved by other requests. Unused
 * reservations are released when those requests end.
 */
export function createBudgetReservedFault(
  { name, ruleId, limit }: LimitOrBudgetClaim,
  retryAfterMs: number,
): Fault {
  return new Fault(
    'budget_reserved',
    `The remaining amount of the ${formatUsd(limit)} budget "${name}" is reserved for requests in progress. Try again in ${Math.ceil(retryAfterMs / 1000)} s.`,
    { retryAfterMs, rule: { kind: 'budget', id: ruleId } },
  );
}

/**
 * Returns the fault for a limit or budget that cannot count the request, because the organization has too many counters.
 */
export function createTooManyCountersFault(
  { kind, name, ruleId }: LimitOrBudgetClaim,
  retryAfterMs: number | null,
): Fault {
  const rule = kind === 'spend' ? 'budget' : 'limit';
  const waitMs = retryAfterMs ?? DEFAULT_RETRY_MS;
  return new Fault(
    kind === 'spend' ? 'budget_reserved' : 'rate_limit_exceeded',
    `The ${rule} "${name}" cannot count this request, because the organization has too many counters. Try again in ${Math.ceil(waitMs / 1000)} s.`,
    { retryAfterMs: waitMs, rule: { kind: rule, id: ruleId } },
  );
}

function budgetSpentFault({ name, ruleId, limit, endsAt }: LimitOrBudgetClaim, what: string): Fault {
  const reset =
    endsAt === 0
      ? 'The budget never resets. Ask an admin to raise the budget.'
      : `The budget resets at ${new Date(endsAt).toISOString()}.`;
  return new Fault('budget_exceeded', `The ${formatUsd(limit)} budget "${name}" ${what}. ${reset}`, {
    rule: { kind: 'budget', id: ruleId },
  });
}

function formatUsd(nanoUsd: number): string {
  return `$${(nanoUsd / 1_000_000_000).toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 9 })}`;
}
