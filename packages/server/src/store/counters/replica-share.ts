import type { BucketClaim } from '../ports.ts';

/** This process among those that share a store. */
export interface ReplicaRank {
  /** Processes at work now, this one included. */
  readonly replicaCount: number;
  /** From 0: its number among them. No two have the same. */
  readonly rank: number;
}

/**
 * What one process may use of a limit while the shared store is away; of a budget, of what was left of it. The shares
 * of all processes add up to the limit exactly, so some have one unit more than others: which ones depends on the
 * bucket, so that no process is always at a disadvantage.
 */
export function computeReplicaShare(claim: BucketClaim, { replicaCount, rank }: ReplicaRank): BucketClaim {
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
  // Capped, or a request larger than the share could never pass; without a share nothing does.
  return { ...claim, limit, amount: Math.min(claim.amount, Math.max(1, limit)) };
}

/** The same in every process. */
function hashBucketName(bucket: string): number {
  let number = 0;
  for (let at = 0; at < bucket.length; at++) number = (number * 31 + bucket.charCodeAt(at)) % 65_521;
  return number;
}
