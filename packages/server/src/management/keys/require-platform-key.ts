import { Fault } from '@floe/contract/faults';
import { findPlatformKeyById, type PlatformKeyRow } from '../../store/platform-keys.ts';
import type { DatabaseReader } from '../../store/store-interfaces.ts';

/** The message of the 404 error for platform keys. */
export const UNKNOWN_PLATFORM_KEY_MESSAGE = 'No platform key has this id.';

/**
 * Returns the platform key with this id, which may be revoked.
 * @throws Fault `not_found`, also for a key of another organization
 */
export async function requirePlatformKey(
  reader: DatabaseReader,
  orgId: string,
  id: string,
): Promise<PlatformKeyRow> {
  const row = await findPlatformKeyById(reader, orgId, id);
  if (!row) throw new Fault('not_found', UNKNOWN_PLATFORM_KEY_MESSAGE);
  return row;
}
