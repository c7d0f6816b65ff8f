import { createHash, randomBytes } from 'node:crypto';
import type { Clock, Timer } from '../../core/clock.ts';
import type { Claim, Counters, Taken } from '../../store/ports.ts';
import type { ProbeLeases } from './probe-leases.ts';

/** What a process that dies with a probe keeps the others waiting for. */
const LASTS_MS = 3_000;
/** A third of it, so that one renewal may be lost. */
const RENEW_MS = 1_000;

interface Lease {
  readonly id: string;
  readonly taken: Taken;
  timer: Timer;
}

/**
 * Leases in the counters that the whole fleet shares: a lease of one per breaker, short, renewed while its probe
 * is under way and given back when its time is over. What a process that died held ends within 3 seconds.
 * While the shared store is away each process probes for itself.
 */
export function createCounterLeases(
  counters: Pick<Counters, 'take' | 'settle' | 'renew'>,
  clock: Pick<Clock, 'after' | 'monotonic'>,
): ProbeLeases {
  const held = new Map<string, Lease>();

  function release(orgId: string, key: string): void {
    const lease = held.get(key);
    if (!lease) return;
    held.delete(key);
    lease.timer.cancel();
    const { id, taken } = lease;
    const { second, away, ownSecond, amounts } = taken;
    const claims = claimsOf(key);
    const given = counters.settle(orgId, { id, second, away, ownSecond, claims, amounts, actual: [0] });
    // A lease that cannot be given back ends by itself.
    given?.catch(() => undefined);
  }

  /** Keeps the lease alive until `endsAt`, unless it is given back before. */
  function beat(orgId: string, key: string, endsAt: number): void {
    const lease = held.get(key);
    if (!lease) return;
    const leftMs = endsAt - clock.monotonic();
    if (leftMs <= 0) return release(orgId, key);
    const renewals = claimsOf(key).map(({ bucket, lastsMs }) => ({ id: lease.id, bucket, lastsMs }));
    void counters.renew(orgId, renewals);
    lease.timer = clock.after(Math.min(RENEW_MS, leftMs), () => beat(orgId, key, endsAt));
  }

  return {
    take(orgId, key, ttlMs) {
      const id = `probe_${randomBytes(8).toString('hex')}`;
      const keep = (taken: Taken) => {
        if (taken.refused !== null) return false;
        const endsAt = clock.monotonic() + ttlMs;
        held.set(key, { id, taken, timer: clock.after(RENEW_MS, () => beat(orgId, key, endsAt)) });
        return true;
      };
      const taken = counters.take(orgId, id, claimsOf(key));
      return taken instanceof Promise ? taken.then(keep) : keep(taken);
    },
    release,
  };
}

function claimsOf(key: string): readonly Claim[] {
  const bucket = `probe:${createHash('sha256').update(key).digest('base64url').slice(0, 22)}`;
  return [
    {
      kind: 'lease',
      bucket,
      amount: 1,
      limit: 1,
      enforced: true,
      lasting: false,
      floor: 0,
      endsAt: 0,
      lastsMs: LASTS_MS,
      away: 'open',
    },
  ];
}
