import type { BucketClaim } from '../store-interfaces.ts';

/** This process's position among the processes that use the same database. */
export interface ReplicaPosition {
  /** Number of running processes, including this one. */
  readonly replicaCount: number;
  /** Starts at 0 and is unique. */
  readonly rank: number;
}

/**
 * Returns the claim as one process applies it while the shared store is unavailable. With the outage mode `open`,
 * the limit is not enforced. With `closed`, the claim is rejected. With `local`, the limit is the share of this
 * process. For a budget, the share is a part of the remaining amount. The shares of all processes add up to at
 * most the limit. If a limit cannot be divided evenly, some processes get one more unit. Which processes get it
 * depends on the counter, so that no process is always at a disadvantage.
 */
export function applyOutageMode(claim: BucketClaim, { replicaCount, rank }: ReplicaPosition): BucketClaim {
  if (claim.outageMode === 'open') return { ...claim, enforced: false };
  if (claim.outageMode === 'closed') return { ...claim, limit: -1 };
  const { kind, minimumUsed } = claim;
  if (kind === 'spend') {
    const left = Math.max(0, claim.limit - minimumUsed);
    return { ...claim, limit: minimumUsed + Math.floor(left / replicaCount) };
  }
  const rest = claim.limit % replicaCount;
  const isAhead = rest > 0 && (rank + hashBucketName(claim.bucket)) % replicaCount < rest;
  const limit = Math.floor(claim.limit / replicaCount) + (isAhead ? 1 : 0);
  // Caps the amount, because otherwise a request larger than the share would always fail. With a share of
  // 0, every request fails.
  return { ...claim, limit, amount: Math.min(claim.amount, Math.max(1, limit)) };
}

/** Returns the same value in every process. */
function hashBucketName(bucket: string): number {
  let number = 0;
  for (let at = 0; at < bucket.length; at++) number = (number * 31 + bucket.charCodeAt(at)) % 65_521;
  return number;
}
