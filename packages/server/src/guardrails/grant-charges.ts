import type { BudgetCharge } from '../store/spend/budget-charge.ts';
import type { Grant } from './grant.ts';
import type { LimitOrBudgetClaim } from './limit-or-budget-claim.ts';

/**
 * Returns the reservations of a grant in budgets if `isSpend` is true. Otherwise, returns its reservations in
 * limits.
 */
export function selectGrantClaims(
  { claims, taken }: Grant,
  isSpend: boolean,
): Pick<Grant, 'claims' | 'taken'> {
  const wanted = claims.map(({ kind }) => (kind === 'spend') === isSpend);
  const ofPart = <T>(list: readonly T[]) => list.filter((_, index) => wanted[index]);
  return {
    claims: ofPart(claims),
    taken: { ...taken, amounts: ofPart(taken.amounts), levels: ofPart(taken.levels) },
  };
}

/** Returns a grant's budget claims as charges. Another process can settle the charges. */
export function toBudgetCharges(grant: Grant): readonly BudgetCharge[] {
  return grant.claims.flatMap(
    ({ kind, enforced, bucket, endsAt, limit, name, period, day }, index): BudgetCharge[] => {
      if (kind !== 'spend') return [];
      const mode = enforced ? 'hard' : 'soft';
      const nanoUsd = grant.taken.amounts[index] ?? 0;
      const charged = { orgId: grant.orgId, bucket, endsAt, nanoUsd, limitNanoUsd: limit };
      return [{ ...charged, name, period, day, mode }];
    },
  );
}

/** Converts a charge back to the budget claim that it was created from. */
export function toSpendClaim({
  bucket,
  nanoUsd,
  limitNanoUsd,
  endsAt,
  name,
  period,
  day,
  mode,
}: BudgetCharge): LimitOrBudgetClaim {
  return {
    kind: 'spend',
    bucket,
    amount: nanoUsd,
    limit: limitNanoUsd,
    enforced: mode === 'hard',
    persistent: false,
    minimumUsed: 0,
    endsAt,
    ttlMs: 0,
    outageMode: 'local',
    name,
    ruleId: '',
    unit: 'usd',
    period,
    day,
  };
}

/** Returns the claim in a form that is counted but never causes a rejection. */
export function toUnenforcedClaim(claim: LimitOrBudgetClaim): LimitOrBudgetClaim {
  return { ...claim, enforced: false };
}
