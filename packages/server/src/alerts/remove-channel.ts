import { abandonDeliveries } from '../store/alert-deliveries.ts';
import { type ChannelRow, deleteChannel } from '../store/channels.ts';
import type { DatabaseWriter } from '../store/ports.ts';

/** Removes a channel and gives up what it was still to be sent. What it was sent stays in the log. */
export async function removeChannel(writer: DatabaseWriter, row: ChannelRow, nowMs: number): Promise<void> {
  await abandonDeliveries(writer, row, 'the channel was removed', nowMs);
  await deleteChannel(writer, row.id);
}
