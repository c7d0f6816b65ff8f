import { Fault } from '@floe/contract/faults';
import {
  type AlertDeliveryRow,
  findAlertDeliveryById,
  requeueAlertDelivery,
} from '../store/alert-deliveries.ts';
import { findChannelById } from '../store/channels.ts';
import type { DatabaseWriter } from '../store/store-interfaces.ts';

/**
 * Makes a failed or pending delivery due immediately. Returns the row as it was before the change.
 *
 * @throws Fault `not_found`; `conflict` if the delivery is neither failed nor pending, or if its channel was
 * removed or disabled
 */
export async function retryAlertDelivery(
  writer: DatabaseWriter,
  orgId: string,
  id: string,
  nowMs: number,
): Promise<AlertDeliveryRow> {
  const row = await findAlertDeliveryById(writer, orgId, id);
  if (!row)
    throw new Fault(
      'not_found',
      'No alert delivery has this id. Floe deletes deliveries when their retention period ends.',
    );
  if (row.state !== 'failed' && row.state !== 'pending')
    throw new Fault(
      'conflict',
      `The delivery "${row.id}" has the state "${row.state}". Only failed and pending deliveries can be retried.`,
    );
  const channel = await findChannelById(writer, row.channel_id);
  if (channel?.enabled !== 1)
    throw new Fault(
      'conflict',
      channel
        ? `The channel "${channel.name}" is disabled. Enable the channel, then retry the delivery.`
        : `The channel "${row.channel_name}" was removed, so the delivery "${row.id}" cannot be retried.`,
    );
  await requeueAlertDelivery(writer, row, nowMs);
  return row;
}
