import { createHash, randomBytes } from 'node:crypto';
import type { Claim, Counters, Taken } from '../../store/ports.ts';
import type { ProbeLeases } from './probe-leases.ts';

/**
 * Leases in the counters that the whole fleet shares: a lease of one per breaker. While the shared store is
 * away each process probes for itself. A lease nobody gives back ends by the store's own rule (60 s).
 */
export function createCounterLeases(counters: Pick<Counters, 'take' | 'settle'>): ProbeLeases {
  const held = new Map<string, { readonly id: string; readonly taken: Taken }>();

  function keep(key: string, id: string, taken: Taken): boolean {
    if (taken.refused !== null) return false;
    held.set(key, { id, taken });
    return true;
  }

  return {
    take(orgId, key) {
      const id = `probe_${randomBytes(8).toString('hex')}`;
      const taken = counters.take(orgId, id, claimsOf(key));
      return taken instanceof Promise ? taken.then((late) => keep(key, id, late)) : keep(key, id, taken);
    },
    release(orgId, key) {
      const lease = held.get(key);
      if (!lease) return;
      held.delete(key);
      const { id, taken } = lease;
      const { second, away, ownSecond, amounts } = taken;
      const claims = claimsOf(key);
      const given = counters.settle(orgId, { id, second, away, ownSecond, claims, amounts, actual: [0] });
      // A lease that cannot be given back ends by itself.
      given?.catch(() => undefined);
    },
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
      away: 'open',
    },
  ];
}
