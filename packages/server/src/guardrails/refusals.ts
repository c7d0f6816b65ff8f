import { Fault } from '@floe/contract/faults';
import type { RuleClaim } from './claims.ts';

const UNITS = {
  requests: 'requests in 60 seconds',
  tokens: 'tokens in 60 seconds',
  concurrency: 'requests at the same time',
  usd: 'US dollars',
} as const;

/** When nothing says how long to wait. */
const RETRY_MS = 1_000;

/** Our own 429: terminal, never a reason to try another provider (specification, Limits). */
export function rateFault({ name, rule, limit, counts }: RuleClaim, retryAfterMs: number | null): Fault {
  const waitMs = retryAfterMs ?? RETRY_MS;
  const wait =
    counts === 'concurrency'
      ? 'Wait for one of them to end.'
      : `There is room again in ${Math.ceil(waitMs / 1000)} s.`;
  return new Fault(
    'rate_limit_exceeded',
    `The limit "${name}" allows ${limit.toLocaleString('en-US')} ${UNITS[counts]}. ${wait}`,
    { retryAfterMs: waitMs, rule: { kind: 'limit', id: rule } },
  );
}

/** A hard budget that has no room for what the request may cost. */
export function budgetFault({ name, rule, limit, endsAt }: RuleClaim): Fault {
  const reset =
    endsAt === 0
      ? 'It has no end; raise it to go on.'
      : `It starts again at ${new Date(endsAt).toISOString()}.`;
  return new Fault(
    'budget_exceeded',
    `The budget "${name}" of ${usd(limit)} has no room for this request. ${reset}`,
    { rule: { kind: 'budget', id: rule } },
  );
}

function usd(nanoUsd: number): string {
  return `$${(nanoUsd / 1_000_000_000).toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 9 })}`;
}
