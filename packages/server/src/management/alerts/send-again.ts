import { idParams } from '@floe/contract/api/page';
import { Fault } from '@floe/contract/faults';
import * as z from 'zod';
import { deliveryById, oweAgain } from '../../store/deliveries.ts';
import { writeVerb } from '../verb.ts';

/** A message that was given up, or waits for its next try, is due now: for who repaired the receiver. */
export const sendAgain = writeVerb({
  name: 'deliveries.send_again',
  method: 'POST',
  path: '/api/monitoring/deliveries/{id}/send',
  scope: 'monitoring',
  summary: 'Send a message of an alert again that was given up, or now instead of at its next try',
  params: idParams,
  answer: z.null(),
  status: 204,
  changes: null,
  async run({ orgId, writer, clock }, { params }) {
    const row = await deliveryById(writer, orgId, params.id);
    if (!row)
      throw new Fault('not_found', `There is no delivery "${params.id.slice(0, 100)}" in this organization.`);
    if (row.state !== 'dead' && row.state !== 'pending')
      throw new Fault(
        'conflict',
        `The delivery "${row.id}" is ${row.state}: only what was given up or waits is sent again.`,
      );
    const now = clock.now();
    await oweAgain(writer, row, now);
    const before = { state: row.state, attempts: row.attempts, due_at: momentOf(row.due_at) };
    const after = { state: 'pending', attempts: 0, due_at: momentOf(now) };
    return { answer: null, audit: { subject: row.id, before, after } };
  },
});

function momentOf(ms: number): string {
  return new Date(ms).toISOString();
}
