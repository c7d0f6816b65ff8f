// Settlements that the counters create themselves.
import type { AcquireResult, BucketClaim, ReservationSettlement } from '../store-interfaces.ts';

/**
 * Returns a settlement that releases what an `acquire` without a response may have reserved.
 * Requests per minute and the concurrency slots of an exchange in progress stay counted.
 */
export function buildTimeoutSettlement(
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
 * Returns a settlement that corresponds to what this process counted in its share: token amounts
 * are limited to the share, and rejected claims are removed.
 */
export function buildCorrectionSettlement(
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
 * Returns the part of a settlement that concerns concurrency. If this process granted an exchange
 * alone, the store counts only its concurrency slots, and only if they were reported. Returns null
 * if there are none.
 */
export function extractSlotSettlement(settlement: ReservationSettlement): ReservationSettlement | null {
  const claims = settlement.claims.filter(({ kind }) => kind === 'lease');
  if (claims.length === 0) return null;
  const nothing = claims.map(() => 0);
  return { ...settlement, claims, amounts: nothing, actual: nothing };
}
