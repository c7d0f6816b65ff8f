import type { Clock } from '../../core/clock.ts';
import type { BucketClaim, ReservationIncrease, ReservationSettlement } from '../store-interfaces.ts';
import type { BucketWithLocalSlots } from './local-slots.ts';
import type { CounterAcquireContext, SharedStoreCounters } from './redis-counters.ts';

/** The measured calls to the shared store. */
export type SharedStoreOperation =
  | 'acquire'
  | 'settle'
  | 'extend'
  | 'peek'
  | 'renew'
  | 'ping'
  | 'cache_get'
  | 'cache_put';

/** Receives the duration of each call to the shared store in milliseconds, and whether it succeeded. */
export type SharedStoreObserver = (
  operation: SharedStoreOperation,
  isSuccess: boolean,
  durationMs: number,
) => void;

/** An observer that ignores all durations. */
export const NOOP_SHARED_STORE_OBSERVER: SharedStoreObserver = () => undefined;

/** Runs a call to the shared store and reports its duration. */
export async function measureSharedStoreCall<T>(
  operation: SharedStoreOperation,
  { clock, observe }: { readonly clock: Pick<Clock, 'monotonic'>; readonly observe: SharedStoreObserver },
  call: () => Promise<T>,
): Promise<T> {
  const startedAt = clock.monotonic();
  let isSuccess = false;
  try {
    const result = await call();
    isSuccess = true;
    return result;
  } finally {
    observe(operation, isSuccess, clock.monotonic() - startedAt);
  }
}

/**
 * Returns counters that report the duration of each call. The duration ends when the store responds, even if the
 * request that made the call has stopped waiting.
 */
export function instrumentSharedStoreCounters(
  inner: SharedStoreCounters,
  sink: { readonly clock: Pick<Clock, 'monotonic'>; readonly observe: SharedStoreObserver },
): SharedStoreCounters {
  const time = <T>(operation: SharedStoreOperation, call: () => T | Promise<T>) =>
    measureSharedStoreCall(operation, sink, async () => call());
  return {
    acquire: (orgId: string, id: string, claims: readonly BucketClaim[], taker?: CounterAcquireContext) =>
      time('acquire', () => inner.acquire(orgId, id, claims, taker)),
    settle: (orgId: string, settlement: ReservationSettlement) =>
      time('settle', () => inner.settle(orgId, settlement)),
    extend: (orgId: string, extension: ReservationIncrease) =>
      time('extend', () => inner.extend(orgId, extension)),
    peek: (orgId, claims) => time('peek', () => inner.peek(orgId, claims)),
    renew: (orgId: string, held: readonly BucketWithLocalSlots[], inFlight: number) =>
      time('renew', () => inner.renew(orgId, held, inFlight)),
    recordStoredSpend: (stored) => inner.recordStoredSpend(stored),
    ping: () => time('ping', () => inner.ping()),
    close: () => inner.close(),
  };
}
