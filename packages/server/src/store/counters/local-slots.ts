import type { BucketClaim } from '../store-interfaces.ts';
import type { ConcurrencyBucket } from './counter-buckets.ts';

/**
 * The maximum number of times that an `acquire` call is repeated because the store has lost slots of this
 * process. Before each repetition, the store counts the slots again.
 */
export const MAX_RECOUNTS = 3;

/** The concurrency slots of the exchanges in progress in this process. */
export interface LocalConcurrencySlots {
  getSlots(orgId: string, bucket: string): ConcurrencyBucket | undefined;
}

/** A concurrency counter in which this process has exchanges in progress. */
export interface BucketWithLocalSlots {
  readonly bucket: string;
  readonly slots: ConcurrencyBucket;
}

/** Returns the concurrency counters in `claims` for which this process holds slots. */
export function listBucketsWithLocalSlots(
  orgId: string,
  claims: readonly BucketClaim[],
  own: LocalConcurrencySlots | undefined,
): readonly BucketWithLocalSlots[] {
  return claims.flatMap(({ kind, bucket }) => {
    const slots = kind === 'lease' ? own?.getSlots(orgId, bucket) : undefined;
    return slots && slots.size > 0 ? [{ bucket, slots }] : [];
  });
}

/**
 * Returns the counters for which the store has counted too few or too many slots of this process. The count may
 * exceed the number of slots by the number of `acquire` calls without a response.
 * @param asked the state at the time of the request to the store: the number of slots in each counter, and the
 * number of `acquire` calls without a response
 */
export function findMiscountedBuckets(
  held: readonly BucketWithLocalSlots[],
  counts: readonly number[],
  asked: { readonly sizes: readonly number[]; readonly inFlight: number },
): readonly BucketWithLocalSlots[] {
  return held.filter((_, index) => {
    const [size, count] = [asked.sizes[index] ?? 0, counts[index] ?? 0];
    return count < size || count > size + asked.inFlight;
  });
}
