import { Fault } from '@floe/contract/faults';
import {
  type AlertDeliveryRow,
  findAlertDeliveryById,
  requeueAlertDelivery,
} from '../store/alert-deliveries.ts';
import type { DatabaseWriter } from '../store/store-interfaces.ts';

/**
 * Makes a failed or waiting delivery due now. Returns its previous state.
 *
 * @throws Fault `not_found`; `conflict` if the delivery was sent or is part of another message
 */
export async function retryAlertDelivery(
  writer: DatabaseWriter,
  orgId: string,
  id: string,
  nowMs: number,
): Promise<AlertDeliveryRow> {
  const row = await findAlertDeliveryById(writer, orgId, id);
  if (!row) throw new Fault('not_found', `There is no delivery "${id.slice(0, 100)}" in this organization.`);
  if (row.state !== 'failed' && row.state !== 'pending')
    throw new Fault(
      'conflict',
      `The delivery "${row.id}" has the state "${row.state}". Only failed and pending deliveries can be retried.`,
    );
  await requeueAlertDelivery(writer, row, nowMs);
  return row;
}
