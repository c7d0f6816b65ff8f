import { Fault } from '@floe/contract/faults';
import { type ChannelRow, channelById } from '../../store/channels.ts';
import type { Reader } from '../../store/ports.ts';

/** A channel by id or name. @throws Fault `not_found`, also for another org's channel */
export async function existingChannel(reader: Reader, orgId: string, id: string): Promise<ChannelRow> {
  const row = await channelById(reader, orgId, id);
  if (!row) throw new Fault('not_found', 'No channel has this id or name.');
  return row;
}
