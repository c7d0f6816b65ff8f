import { Fault } from '@floe/contract/faults';
import { spotOf } from '../../platform/file-place.ts';
import { keyById, type PlatformKeyRow } from '../../store/platform-keys.ts';
import type { Reader } from '../../store/ports.ts';

/** @throws Fault `not_found`, also for the id of another org's key */
export async function existingKey(reader: Reader, orgId: string, id: string): Promise<PlatformKeyRow> {
  const row = await keyById(reader, orgId, id);
  if (!row) throw new Fault('not_found', 'No platform key has this id.');
  return row;
}

/** @throws Fault `not_found`; `managed_by_file` when it stands in floe.yaml */
export async function changeableKey(reader: Reader, orgId: string, id: string): Promise<PlatformKeyRow> {
  const row = await existingKey(reader, orgId, id);
  if (row.source === 'file')
    throw new Fault('managed_by_file', `The key "${row.name}" stands in ${spotOf(row)}; change it there.`);
  return row;
}
