import { alert, alertQuery } from '@floe/contract/api/channels';
import { page } from '@floe/contract/api/page';
import type * as z from 'zod';
import { view } from '../../alerts/channels/webhook.ts';
import { alertOf } from '../../alerts/stored-alert.ts';
import { wordingOf } from '../../alerts/wording.ts';
import { type AlertRow, alertPage } from '../../store/alerts.ts';
import { type DeliveryRow, deliveriesOf } from '../../store/deliveries.ts';
import { range } from '../time-range.ts';
import { readVerb } from '../verb.ts';

export const listAlerts = readVerb({
  name: 'alerts.list',
  method: 'GET',
  path: '/api/monitoring/alerts',
  scope: 'monitoring',
  summary: 'List alerts, newest first, and what became of each in every channel',
  query: alertQuery,
  answer: page(alert),
  async run({ orgId, reader }, { query }) {
    const { rows, nextCursor } = await alertPage(reader, { orgId, ...query, ...range(query) });
    const deliveries = await deliveriesOf(
      reader,
      rows.map(({ id }) => id),
    );
    const data = rows.map((row) =>
      alertView(
        row,
        deliveries.filter(({ alert_id }) => alert_id === row.id),
      ),
    );
    return { data, next_cursor: nextCursor };
  },
});

function alertView(row: AlertRow, deliveries: readonly DeliveryRow[]): z.input<typeof alert> {
  const stored = alertOf(row);
  const { event, subject, at, fields } = view(stored);
  return alert.parse({
    id: row.id,
    at,
    event,
    subject,
    title: wordingOf(stored, { nowMs: row.at, repetition: 0, failureCount: 1 }).title,
    fields,
    closed_at: moment(row.closed_at),
    deliveries: deliveries.map((delivery) => ({
      id: delivery.id,
      channel: delivery.channel_name,
      state: delivery.state,
      held: delivery.held,
      repetition: delivery.repetition,
      attempts: delivery.attempts,
      due_at: moment(delivery.due_at),
      sent_at: moment(delivery.sent_at),
      status: delivery.status,
      error: delivery.error,
      folded_into: delivery.folded_into,
    })),
  });
}

function moment(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
