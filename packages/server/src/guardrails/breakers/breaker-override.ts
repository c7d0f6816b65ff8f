import { createId } from '../../core/ids.ts';
import { insertBreakerChange } from '../../store/breaker-changes.ts';
import {
  listForcedBreakerStates,
  replaceForcedBreakerStates,
  type StoredForcedBreakerState,
} from '../../store/forced-breakers.ts';
import type { DatabaseReader, DatabaseWriter } from '../../store/store-interfaces.ts';
import { type BreakerKey, formatBreakerId } from './breakers.ts';

/** A requested change to a breaker's forced state. `auto` removes the forced state. */
export interface BreakerOverride {
  readonly state: 'open' | 'closed' | 'auto';
  readonly ttlMs: number;
  readonly reason: string;
  /** Who requested the change: the id of a member or the name of a key. */
  readonly by: string;
}

/** A breaker's forced state before and after a change; null means that no state is forced. */
export interface ForcedBreakerStateChange {
  readonly before: StoredForcedBreakerState | null;
  readonly after: StoredForcedBreakerState | null;
}

/**
 * Returns whether a forced state is stored for this breaker, even if its target no longer exists.
 */
export async function hasForcedBreakerState(
  reader: DatabaseReader,
  name: BreakerKey,
  nowMs: number,
): Promise<boolean> {
  return (await listForcedBreakerStates(reader, nowMs)).some(isOf(name));
}

function isOf(name: BreakerKey): (entry: StoredForcedBreakerState) => boolean {
  return (entry) => entry.orgId === name.orgId && formatBreakerId(entry) === formatBreakerId(name);
}

/**
 * Forces a breaker open or closed for a limited time, or removes the forced state. Records the
 * change in the breaker's history.
 */
export async function applyBreakerOverride(
  writer: DatabaseWriter,
  name: BreakerKey,
  { state, ttlMs, reason, by }: BreakerOverride,
  nowMs: number,
): Promise<ForcedBreakerStateChange> {
  const { orgId } = name;
  const isIt = isOf(name);
  const all = await listForcedBreakerStates(writer, nowMs);
  const before = all.find(isIt) ?? null;
  const after = state === 'auto' ? null : { ...name, state, until: nowMs + ttlMs, reason, by };
  await replaceForcedBreakerStates(writer, [
    ...all.filter((entry) => !isIt(entry)),
    ...(after ? [after] : []),
  ]);
  if (after || before)
    await insertBreakerChange(writer, {
      id: createId('brk', nowMs),
      org_id: orgId,
      breaker_id: formatBreakerId(name),
      at: nowMs,
      state: state === 'auto' ? 'released' : `forced_${state}`,
      because: reason,
    });
  return { before, after };
}
