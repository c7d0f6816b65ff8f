import { randomUUID } from 'node:crypto';
import type { Timer } from '../core/clock.ts';
import { listDueChannels } from '../store/channels.ts';
import { type DeliveryContext, deliverToChannel } from './deliver-to-channel.ts';
import { routeAlerts } from './route-alerts.ts';

/** Alerts leave about this long after their commit. */
const ROUND_INTERVAL_MS = 1_000;
/** Channels served at once: a receiver that hangs keeps one place for 15 seconds. */
const MAX_CONCURRENT_CHANNELS = 32;

export interface AlertDelivery {
  /** Resolves when no round is under way and nothing is being sent. */
  waitUntilIdle(): Promise<void>;
  /** Begins nothing new and waits for what is being sent. */
  close(): Promise<void>;
}

export type AlertDeliveryOptions = Omit<DeliveryContext, 'owner' | 'isClosing'>;

/**
 * Delivers the outbox in rounds: makes deliveries of new alerts, then serves every channel that is owed
 * something, each on its own. Any number of processes may do this on one store.
 */
export function startAlertDelivery(given: AlertDeliveryOptions): AlertDelivery {
  const { clock, database, log } = given;
  const serving = new Map<string, Promise<void>>();
  let closed = false;
  let timer: Timer | null = null;
  let round = Promise.resolve();
  const context: DeliveryContext = { ...given, owner: randomUUID(), isClosing: () => closed };

  async function once(): Promise<void> {
    while (!closed && (await routeAlerts(database, clock)).more);
    if (closed) return;
    const places = MAX_CONCURRENT_CHANNELS - serving.size;
    if (places <= 0) return;
    // Those being served are leased; they are asked for besides so that they take no other's place.
    for (const channel of await listDueChannels(database.read, clock.now(), places + serving.size)) {
      if (closed || serving.size >= MAX_CONCURRENT_CHANNELS) return;
      if (serving.has(channel.id)) continue;
      const served = deliverToChannel(channel, context)
        .catch((error: unknown) => {
          log.warn(
            { err: error, channel: channel.name },
            'alerts of a channel could not be delivered; retrying in the next round',
          );
        })
        .finally(() => serving.delete(channel.id));
      serving.set(channel.id, served);
    }
  }

  const next = () => {
    timer = clock.after(ROUND_INTERVAL_MS, () => {
      round = once()
        .catch((error: unknown) =>
          log.warn(
            { err: error },
            'alerts could not be delivered because the database does not respond; retrying',
          ),
        )
        .finally(() => {
          if (!closed) next();
        });
    });
  };
  async function settled(): Promise<void> {
    await round;
    await Promise.all(serving.values());
  }
  next();
  return {
    waitUntilIdle: settled,
    close() {
      closed = true;
      timer?.cancel();
      return settled();
    },
  };
}
