import { newId } from '../../core/ids.ts';
import { insertBreakerChange } from '../../store/breaker-changes.ts';
import { type ForcedBreaker, forcedBreakers, putForcedBreakers } from '../../store/forced-breakers.ts';
import type { Writer } from '../../store/ports.ts';
import { breakerIdOf, type CircuitName } from './breakers.ts';

/** What somebody wants of a breaker; `auto` ends what was forced. */
export interface WantedForce {
  readonly state: 'open' | 'closed' | 'auto';
  readonly ttlMs: number;
  readonly reason: string;
  /** Name of who asks. */
  readonly by: string;
}

/** What is forced on a breaker before and after a change; null for nothing. */
export interface ForceChange {
  readonly before: ForcedBreaker | null;
  readonly after: ForcedBreaker | null;
}

/** Forces a breaker open or closed for a while, or returns it to automatic, and keeps that in its history. */
export async function setForcedState(
  writer: Writer,
  name: CircuitName,
  { state, ttlMs, reason, by }: WantedForce,
  nowMs: number,
): Promise<ForceChange> {
  const { orgId } = name;
  const id = breakerIdOf(name);
  const isIt = (entry: ForcedBreaker) => entry.orgId === orgId && breakerIdOf(entry) === id;
  const all = await forcedBreakers(writer, nowMs);
  const before = all.find(isIt) ?? null;
  const after = state === 'auto' ? null : { ...name, state, until: nowMs + ttlMs, reason, by };
  await putForcedBreakers(writer, [...all.filter((entry) => !isIt(entry)), ...(after ? [after] : [])]);
  if (after || before)
    await insertBreakerChange(writer, {
      id: newId('brk', nowMs),
      org_id: orgId,
      breaker_id: id,
      at: nowMs,
      state: state === 'auto' ? 'released' : `forced_${state}`,
      because: `${by}: ${reason}`,
    });
  return { before, after };
}
