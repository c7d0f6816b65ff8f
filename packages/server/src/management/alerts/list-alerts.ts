import { alertListQuery, alertResource } from '@floe/contract/api/channels';
import { createPageSchema } from '@floe/contract/api/page';
import type * as z from 'zod';
import { getAlertPhase } from '../../alerts/alert.ts';
import { composeAlertWording } from '../../alerts/alert-wording.ts';
import { toAlertJson } from '../../alerts/channels/webhook.ts';
import { parseAlertRow } from '../../alerts/stored-alert.ts';
import { type AlertDeliveryRow, listDeliveriesOfAlerts } from '../../store/alert-deliveries.ts';
import { type AlertRow, getAlertPage } from '../../store/alerts.ts';
import { MONITORING_SCOPES } from '../monitors/monitoring-dependencies.ts';
import { defineReadOperation } from '../operation.ts';
import { parseTimeRange } from '../time-range.ts';

/** The operation that lists alerts (`GET /api/monitoring/alerts`). */
export const listAlertsOperation = defineReadOperation({
  name: 'alerts.list',
  method: 'GET',
  path: '/api/monitoring/alerts',
  scope: MONITORING_SCOPES,
  summary: 'List alerts, newest first, with their delivery state for each channel',
  query: alertListQuery,
  answer: createPageSchema(alertResource),
  async run({ orgId, reader }, { query }) {
    const { rows, nextCursor } = await getAlertPage(reader, { orgId, ...query, ...parseTimeRange(query) });
    const deliveries = await listDeliveriesOfAlerts(
      reader,
      rows.map(({ id }) => id),
    );
    const data = rows.map((row) =>
      toAlertResource(
        row,
        deliveries.filter(({ alert_id }) => alert_id === row.id),
      ),
    );
    return { data, next_cursor: nextCursor };
  },
});

function toAlertResource(
  row: AlertRow,
  deliveries: readonly AlertDeliveryRow[],
): z.input<typeof alertResource> {
  const stored = parseAlertRow(row);
  const { event, subject, at, fields } = toAlertJson(stored);
  return alertResource.parse({
    id: row.id,
    at,
    event,
    subject,
    title: composeAlertWording(stored, { nowMs: row.at, repetition: 0, failureCount: 1 }).title,
    fields,
    // An event without an end is stored as closed when it is routed, so that it can expire.
    closed_at: getAlertPhase(stored) === 'info' ? null : toIsoOrNull(row.closed_at),
    deliveries: deliveries.map((delivery) => ({
      id: delivery.id,
      channel: delivery.channel_name,
      state: delivery.state,
      pending_reason: delivery.pending_reason,
      repetition: delivery.repetition,
      attempts: delivery.attempts,
      due_at: toIsoOrNull(delivery.due_at),
      sent_at: toIsoOrNull(delivery.sent_at),
      status: delivery.status,
      error: delivery.error,
      grouped_into: delivery.grouped_into,
    })),
  });
}

function toIsoOrNull(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
