import { failPendingAlertDeliveries } from '../store/alert-deliveries.ts';
import { type ChannelRow, deleteChannel } from '../store/channels.ts';
import type { DatabaseWriter } from '../store/store-interfaces.ts';

/** Deletes a channel and marks its pending deliveries as failed. Alerts that were already sent remain in the log. */
export async function removeChannel(writer: DatabaseWriter, row: ChannelRow, nowMs: number): Promise<void> {
  await failPendingAlertDeliveries(writer, row, 'the channel was removed', nowMs);
  await deleteChannel(writer, row.id);
}
