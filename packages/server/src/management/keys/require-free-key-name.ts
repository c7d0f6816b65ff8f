import { Fault } from '@floe/contract/faults';
import { findActivePlatformKeyByName } from '../../store/platform-keys.ts';
import type { DatabaseWriter } from '../../store/ports.ts';

/**
 * Limits, budgets and analytics identify a key by its name, so the names of active keys are unique.
 *
 * @throws Fault `conflict`
 */
export async function requireFreeKeyName(
  writer: DatabaseWriter,
  orgId: string,
  name: string,
  nowMs: number,
): Promise<void> {
  const other = await findActivePlatformKeyByName(writer, orgId, name, nowMs);
  if (other)
    throw new Fault('conflict', `The active key ${other.id} already has this name.`, { param: 'name' });
}
