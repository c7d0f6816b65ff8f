import { Fault } from '@floe/contract/faults';
import { findActivePlatformKeyByName } from '../../store/platform-keys.ts';
import type { DatabaseWriter } from '../../store/store-interfaces.ts';

/**
 * Requires that no active key has this name. Active keys must have unique names, because limits,
 * budgets and analytics identify a key by its name.
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
    throw new Fault('conflict', `The active key ${other.id} already has this name. Choose another name.`, {
      param: 'name',
    });
}
