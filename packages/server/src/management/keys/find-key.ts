import { Fault } from '@floe/contract/faults';
import { keyById, type PlatformKeyRow } from '../../store/platform-keys.ts';
import type { Reader } from '../../store/ports.ts';

export const UNKNOWN_KEY = 'No platform key has this id.';

/** @throws Fault `not_found`, also for the id of another org's key */
export async function existingKey(reader: Reader, orgId: string, id: string): Promise<PlatformKeyRow> {
  const row = await keyById(reader, orgId, id);
  if (!row) throw new Fault('not_found', UNKNOWN_KEY);
  return row;
}
