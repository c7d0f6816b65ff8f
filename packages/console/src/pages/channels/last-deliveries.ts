import type { AlertResource } from './channel-data.ts';

type Delivery = AlertResource['deliveries'][number];

/**
 * Returns the last delivery that was tried for each channel, by channel name. Deliveries that have not been tried, for
 * example a repetition that is due later, are left out.
 */
export function findLastDeliveries(
  alerts: readonly Pick<AlertResource, 'deliveries'>[],
): ReadonlyMap<string, Delivery> {
  const found = new Map<string, Delivery>();
  for (const delivery of alerts.flatMap(({ deliveries }) => deliveries)) {
    const known = found.get(delivery.channel);
    if (triedAt(delivery) > (known ? triedAt(known) : Number.NEGATIVE_INFINITY))
      found.set(delivery.channel, delivery);
  }
  return found;
}

/** Returns when the message was sent, or for a failed delivery, when it is or was due. */
function triedAt({ sent_at, state, attempts, error, due_at }: Delivery): number {
  if (sent_at !== null) return Date.parse(sent_at);
  // An error alone does not mean an attempt: it also says why a delivery was muted, skipped or given up before one.
  const hasFailed = attempts > 0 && error !== null && (state === 'pending' || state === 'failed');
  return hasFailed ? Date.parse(due_at) : Number.NEGATIVE_INFINITY;
}
