// Settlements that the counters create themselves.
import type { AcquireResult, BucketClaim, ReservationSettlement } from '../store-interfaces.ts';

/**
 * Returns a settlement that releases what an `acquire` call without a response may have reserved. Requests per
 * minute are not released. If the exchange continues, its concurrency slots are not released either.
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
 * Returns a settlement that corrects what this process counted in its local share, after the shared store has
 * decided. Claims of the kind `window` get the amount that the store counted. If the store rejected the
 * exchange, all other claims are released.
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
 * Returns the part of a settlement that releases concurrency slots, or null if it has none. If this process granted an
 * exchange locally because the shared store was unavailable, the store has counted at most the concurrency slots of the exchange.
 * The store must then release only these slots.
 */
export function extractSlotSettlement(settlement: ReservationSettlement): ReservationSettlement | null {
  const claims = settlement.claims.filter(({ kind }) => kind === 'lease');
  if (claims.length === 0) return null;
  const nothing = claims.map(() => 0);
  return { ...settlement, claims, amounts: nothing, actual: nothing };
}
