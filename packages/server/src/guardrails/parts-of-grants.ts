import type { Charge } from '../store/spend/spend.ts';
import type { Grant } from './grant.ts';
import type { RuleClaim } from './rule-claim.ts';

/** What a grant took of budgets, or all but that. */
export function partOf({ claims, taken }: Grant, isSpend: boolean): Pick<Grant, 'claims' | 'taken'> {
  const wanted = claims.map(({ kind }) => (kind === 'spend') === isSpend);
  const ofPart = <T>(list: readonly T[]) => list.filter((_, index) => wanted[index]);
  return {
    claims: ofPart(claims),
    taken: { ...taken, amounts: ofPart(taken.amounts), levels: ofPart(taken.levels) },
  };
}

/** What a grant holds of budgets, for whoever settles it in another process. */
export function heldBy(grant: Grant): readonly Charge[] {
  return grant.claims.flatMap(({ kind, enforced, bucket, endsAt, limit, name, period }, index): Charge[] => {
    if (kind !== 'spend') return [];
    const mode = enforced ? 'hard' : 'soft';
    const nanoUsd = grant.taken.amounts[index] ?? 0;
    return [{ orgId: grant.orgId, bucket, endsAt, nanoUsd, limitNanoUsd: limit, name, period, mode }];
  });
}

/** The claim that such a charge came from. */
export function spendClaimOf({
  bucket,
  nanoUsd,
  limitNanoUsd,
  endsAt,
  name,
  period,
  mode,
}: Charge): RuleClaim {
  return {
    kind: 'spend',
    bucket,
    amount: nanoUsd,
    limit: limitNanoUsd,
    enforced: mode === 'hard',
    lasting: false,
    floor: 0,
    endsAt,
    lastsMs: 0,
    away: 'local',
    name,
    rule: '',
    counts: 'usd',
    period,
  };
}

/** The same claim, which counts and never refuses. */
export function unenforced(claim: RuleClaim): RuleClaim {
  return { ...claim, enforced: false };
}
