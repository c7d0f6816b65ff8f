import { createHash, randomBytes } from 'node:crypto';
import type { Clock, Timer } from '../../core/clock.ts';
import { PROBE_BUCKET_PREFIX } from '../../store/counters/in-memory-counters.ts';
import type { AcquireResult, BucketClaim, LimitCounters } from '../../store/store-interfaces.ts';
import type { ProbeLeases } from './probe-leases.ts';

/** Time after which the shared store releases the probe lease of a process that died. */
const LEASE_TTL_MS = 3_000;

interface HeldLease {
  readonly id: string;
  readonly taken: AcquireResult;
  readonly timer: Timer;
}

/**
 * Creates probe leases in the shared store, for all processes. A lease ends when it is released or
 * when it expires. If a process terminates, its lease expires within 3 seconds. While the shared
 * store is unavailable, each process sends its own probes.
 */
export function createSharedProbeLeases(
  counters: Pick<LimitCounters, 'acquire' | 'settle'>,
  clock: Pick<Clock, 'after'>,
): ProbeLeases {
  const held = new Map<string, HeldLease>();

  function release(orgId: string, key: string): void {
    const lease = held.get(key);
    if (!lease) return;
    held.delete(key);
    lease.timer.cancel();
    const { id, taken } = lease;
    const { second, countedLocally, localSecond, amounts } = taken;
    const claims = leaseClaims(key);
    const given = counters.settle(orgId, {
      id,
      second,
      countedLocally,
      localSecond,
      claims,
      amounts,
      actual: [0],
    });
    // A lease that cannot be released expires.
    given?.catch(() => undefined);
  }

  return {
    acquire(orgId, key, ttlMs) {
      const id = `probe_${randomBytes(8).toString('hex')}`;
      const keep = (taken: AcquireResult) => {
        if (taken.refusedIndex !== null) return false;
        held.set(key, { id, taken, timer: clock.after(ttlMs, () => release(orgId, key)) });
        return true;
      };
      const taken = counters.acquire(orgId, id, leaseClaims(key));
      return taken instanceof Promise ? taken.then(keep) : keep(taken);
    },
    release,
  };
}

function leaseClaims(key: string): readonly BucketClaim[] {
  const bucket = `${PROBE_BUCKET_PREFIX}${createHash('sha256').update(key).digest('base64url').slice(0, 22)}`;
  return [
    {
      kind: 'lease',
      bucket,
      amount: 1,
      limit: 1,
      enforced: true,
      persistent: false,
      minimumUsed: 0,
      endsAt: 0,
      ttlMs: LEASE_TTL_MS,
      outageMode: 'open',
    },
  ];
}
