import { Fault } from '@floe/contract/faults';
import { spotOf } from '../../platform/file-place.ts';
import { type ChannelRow, channelById } from '../../store/channels.ts';
import type { Reader } from '../../store/ports.ts';

/** A channel by id or name. @throws Fault `not_found`, also for another org's channel */
export async function existingChannel(reader: Reader, orgId: string, id: string): Promise<ChannelRow> {
  const row = await channelById(reader, orgId, id);
  if (!row) throw new Fault('not_found', 'No channel has this id or name.');
  return row;
}

/** @throws Fault `not_found`; `managed_by_file` when it stands in floe.yaml */
export async function changeableChannel(reader: Reader, orgId: string, id: string): Promise<ChannelRow> {
  const row = await existingChannel(reader, orgId, id);
  mustBeOwn(row);
  return row;
}

/** @throws Fault `managed_by_file` */
export function mustBeOwn(row: ChannelRow): void {
  if (row.source !== 'file') return;
  throw new Fault('managed_by_file', `The channel "${row.name}" stands in ${spotOf(row)}; change it there.`);
}

/** @throws Fault `conflict` */
export async function mustBeFree(reader: Reader, orgId: string, name: string): Promise<void> {
  const other = await channelById(reader, orgId, name);
  if (other) throw new Fault('conflict', `The channel ${other.id} has this name.`, { param: 'name' });
}
