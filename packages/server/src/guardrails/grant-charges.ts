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
export function toBudgetCharges({ orgId, claims, taken }: Grant): readonly BudgetCharge[] {
  return claims.flatMap((claim, index) =>
    claim.kind === 'spend' ? [buildCharge(orgId, claim, taken.amounts[index] ?? 0)] : [],
  );
}

/** Returns the charges of a grant with an amount for each claim. Omits charges of zero. */
export function buildCharges(grant: Grant, worth: readonly number[], hardOnly: boolean): BudgetCharge[] {
  const charges: BudgetCharge[] = [];
  // Claims on budgets are last in the list.
  if (grant.claims.at(-1)?.kind !== 'spend') return charges;
  for (const [index, claim] of grant.claims.entries()) {
    const nanoUsd = worth[index] ?? 0;
    if (claim.kind !== 'spend' || nanoUsd === 0 || (hardOnly && !claim.enforced)) continue;
    charges.push(buildCharge(grant.orgId, claim, nanoUsd));
  }
  return charges;
}

/** Returns the charge of a budget claim. */
export function buildCharge(orgId: string, claim: LimitOrBudgetClaim, nanoUsd: number): BudgetCharge {
  const { bucket, endsAt, limit, name, period, day, enforced } = claim;
  const mode = enforced ? 'hard' : 'soft';
  return { orgId, bucket, endsAt, nanoUsd, limitNanoUsd: limit, name, period, day, mode };
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
