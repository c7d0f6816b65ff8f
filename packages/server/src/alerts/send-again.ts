import { Fault } from '@floe/contract/faults';
import { type DeliveryRow, deliveryById, oweAgain } from '../store/deliveries.ts';
import type { Writer } from '../store/ports.ts';

/**
 * Makes a message that was given up, or that waits for its next try, due now. Returns it as it was.
 *
 * @throws Fault `not_found`; `conflict` for a message that was sent or is part of another
 */
export async function sendAgain(
  writer: Writer,
  orgId: string,
  id: string,
  nowMs: number,
): Promise<DeliveryRow> {
  const row = await deliveryById(writer, orgId, id);
  if (!row) throw new Fault('not_found', `There is no delivery "${id.slice(0, 100)}" in this organization.`);
  if (row.state !== 'dead' && row.state !== 'pending')
    throw new Fault(
      'conflict',
      `The delivery "${row.id}" is ${row.state}: only what was given up or waits is sent again.`,
    );
  await oweAgain(writer, row, nowMs);
  return row;
}
