// Settlements that the counters create themselves.
import type { AcquireResult, BucketClaim, ReservationSettlement } from '../ports.ts';

/**
 * Releases what an unanswered `acquire` may have reserved. Requests per minute and the slots of a running
 * exchange stay counted.
 */
export function buildAbandonedSettlement(
  id: string,
  claims: readonly BucketClaim[],
  { refusedIndex }: AcquireResult,
): ReservationSettlement {
  const given = refusedIndex === null ? claims.filter(({ kind }) => kind !== 'lease') : claims;
  const nothing = given.map(() => 0);
  const amounts = given.map(({ amount }) => amount);
  return { id, second: 0, countedLocally: false, localSecond: 0, claims: given, amounts, actual: nothing };
}

/**
 * Converts a settlement to what this process counted in its share: tokens are capped by the share, or the
 * claim was refused.
 */
export function buildCorrectedSettlement(
  id: string,
  claims: readonly BucketClaim[],
  own: AcquireResult,
  taken: AcquireResult,
): ReservationSettlement {
  const wrong = claims.map(({ kind }) => taken.refusedIndex !== null || kind === 'window');
  const of = <T>(all: readonly T[]) => all.filter((_, index) => wrong[index]);
  const actual = taken.amounts.map((amount, index) => (claims[index]?.kind === 'window' ? amount : 0));
  const { second, amounts } = own;
  return {
    id,
    second,
    countedLocally: true,
    localSecond: second,
    claims: of(claims),
    amounts: of(amounts),
    actual: of(actual),
  };
}

/**
 * If this process granted an exchange alone, the store counts only its slots, if they were reported.
 * Returns null without slots.
 */
export function extractSlotSettlement(settlement: ReservationSettlement): ReservationSettlement | null {
  const claims = settlement.claims.filter(({ kind }) => kind === 'lease');
  if (claims.length === 0) return null;
  const nothing = claims.map(() => 0);
  return { ...settlement, claims, amounts: nothing, actual: nothing };
}
