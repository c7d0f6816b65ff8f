import { randomUUID } from 'node:crypto';
import type { Timer } from '../core/clock.ts';
import { RepeatedFailureLog } from '../core/repeated-failure-log.ts';
import { listDueChannels } from '../store/channels.ts';
import { createAlertDeliveries } from './create-alert-deliveries.ts';
import { type AlertDeliveryContext, deliverToChannel } from './deliver-to-channel.ts';

/** Time between delivery rounds. An alert waits at most this long after its commit. */
const ROUND_INTERVAL_MS = 1_000;
/**
 * Maximum number of channels that are served concurrently. A receiver that does not respond counts for 15
 * seconds.
 */
const MAX_CONCURRENT_CHANNELS = 32;

/** The running delivery of alerts in this process. */
export interface AlertDeliveryService {
  /** Resolves when no round is running and no message is being sent. */
  waitUntilIdle(): Promise<void>;
  /** Starts no further round, and waits for the messages that are being sent. */
  close(): Promise<void>;
}

export type AlertDeliveryOptions = Omit<AlertDeliveryContext, 'owner' | 'isClosing'>;

/**
 * Starts the delivery of alerts in the outbox, which runs once a second. Each round creates deliveries for
 * new alerts and sends the due messages of each channel, independently of other channels. Several processes
 * may run it on the same database.
 */
export function startAlertDelivery(options: AlertDeliveryOptions): AlertDeliveryService {
  const { clock, database, log } = options;
  const serving = new Map<string, Promise<void>>();
  const roundFailure = new RepeatedFailureLog(log, clock, {
    failed: 'alerts could not be delivered because of a database error; retrying',
    recovered: 'alerts are delivered again',
  });
  let closed = false;
  let timer: Timer | null = null;
  let round = Promise.resolve();
  const context: AlertDeliveryContext = { ...options, owner: randomUUID(), isClosing: () => closed };

  async function once(): Promise<void> {
    while (!closed && (await createAlertDeliveries(database, clock)).more);
    if (closed) return;
    const places = MAX_CONCURRENT_CHANNELS - serving.size;
    if (places <= 0) return;
    // Channels that are being served are leased. The query returns them too, so they must not reduce the
    // number of places.
    for (const channel of await listDueChannels(database.read, clock.now(), places + serving.size)) {
      if (closed || serving.size >= MAX_CONCURRENT_CHANNELS) return;
      if (serving.has(channel.id)) continue;
      const served = deliverToChannel(channel, context)
        .catch((error: unknown) => {
          log.warn(
            { err: error, channel: channel.name },
            'alerts could not be delivered to a channel; retrying',
          );
        })
        .finally(() => serving.delete(channel.id));
      serving.set(channel.id, served);
    }
  }

  const next = () => {
    timer = clock.after(ROUND_INTERVAL_MS, () => {
      round = once()
        .then(
          () => roundFailure.succeed(),
          (error: unknown) => roundFailure.fail(error),
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
