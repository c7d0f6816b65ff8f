import { idParams } from '@floe/contract/api/page';
import * as z from 'zod';
import { sendAgain } from '../../alerts/send-again.ts';
import { writeVerb } from '../verb.ts';

/** A message that was given up, or waits for its next try, is due now: for who repaired the receiver. */
export const sendDeliveryAgain = writeVerb({
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
    const now = clock.now();
    const row = await sendAgain(writer, orgId, params.id, now);
    const before = { state: row.state, attempts: row.attempts, due_at: momentOf(row.due_at) };
    const after = { state: 'pending', attempts: 0, due_at: momentOf(now) };
    return { answer: null, audit: { subject: row.id, before, after } };
  },
});

function momentOf(ms: number): string {
  return new Date(ms).toISOString();
}
