// Settlements that are made here and not by the one who took.
import type { AcquireResult, BucketClaim, ReservationSettlement } from '../ports.ts';

/**
 * Gives back what a take that nobody heard the answer of may have reserved; its requests per minute stay spent, and so
 * do the slots of an exchange that goes on.
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

/** Makes what this process counted of its share what the store counted: tokens are capped by the share, or it refused. */
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

/** Of an exchange that this process granted alone the store counts the slots, if it has been told of them; null when it has none. */
export function extractSlotSettlement(settlement: ReservationSettlement): ReservationSettlement | null {
  const claims = settlement.claims.filter(({ kind }) => kind === 'lease');
  if (claims.length === 0) return null;
  const nothing = claims.map(() => 0);
  return { ...settlement, claims, amounts: nothing, actual: nothing };
}
