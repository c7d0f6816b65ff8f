import { idParams } from '@floe/contract/api/page';
import * as z from 'zod';
import { retryAlertDelivery } from '../../alerts/retry-alert-delivery.ts';
import { MONITORING_SCOPES } from '../monitors/monitoring-dependencies.ts';
import { defineWriteOperation } from '../operation.ts';

/**
 * The operation that sends a message again immediately if its delivery was abandoned or waits for a
 * retry.
 */
export const resendAlertDeliveryOperation = defineWriteOperation({
  name: 'deliveries.retry',
  method: 'POST',
  path: '/api/monitoring/deliveries/{id}/retry',
  scope: MONITORING_SCOPES,
  summary: 'Retry a failed or pending alert delivery immediately',
  params: idParams,
  answer: z.null(),
  status: 204,
  invalidates: null,
  async run({ orgId, writer, clock }, { params }) {
    const now = clock.now();
    const row = await retryAlertDelivery(writer, orgId, params.id, now);
    const before = { state: row.state, attempts: row.attempts, due_at: toIsoString(row.due_at) };
    const after = { state: 'pending', attempts: 0, due_at: toIsoString(now) };
    return { answer: null, audit: { subject: row.id, before, after } };
  },
});

function toIsoString(ms: number): string {
  return new Date(ms).toISOString();
}
