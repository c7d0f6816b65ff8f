import { createId } from '../core/ids.ts';
import type { NewAlertDeliveryRow, PendingAlertDelivery } from '../store/alert-deliveries.ts';
import type { ChannelRow } from '../store/channels.ts';
import { parseChannelSubscription } from './stored-channel.ts';

/** Creates the repeated deliveries of open alerts, if the channel has a repeat interval. */
export function createAlertRepetitions(
  channel: ChannelRow,
  deliveries: readonly PendingAlertDelivery[],
  nowMs: number,
): NewAlertDeliveryRow[] {
  const { realertMinutes } = parseChannelSubscription(channel);
  if (realertMinutes === 0) return [];
  return deliveries
    .filter(({ alert }) => alert.phase === 'opens' && alert.closed_at === null)
    .map(({ delivery: { seq: _, ...delivery } }) => ({
      ...delivery,
      id: createId('dlv', nowMs),
      repetition: delivery.repetition + 1,
      state: 'pending',
      pending_reason: 'repeat',
      created_at: nowMs + realertMinutes * 60_000,
      due_at: nowMs + realertMinutes * 60_000,
      attempts: 0,
      sent_at: null,
      status: null,
      error: null,
      grouped_into: null,
    }));
}
