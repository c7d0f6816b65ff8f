import { randomUUID } from 'node:crypto';
import type { Timer } from '../core/clock.ts';
import { RepeatedFailureLog } from '../core/repeated-failure-log.ts';
import { type DueChannel, listDueChannels } from '../store/channels.ts';
import { type AlertRoutingTurn, createAlertDeliveries } from './create-alert-deliveries.ts';
import { type AlertDeliveryContext, deliverToChannel } from './deliver-to-channel.ts';

/** Time between delivery rounds. An alert waits at most this long after its commit. */
const ROUND_INTERVAL_MS = 1_000;
/** How long a round creates deliveries before it sends messages. The next round continues. */
const MAX_ROUTING_MS = 500;
/**
 * Maximum number of channels that are served concurrently. A receiver that does not respond counts for 15
 * seconds.
 */
const MAX_CONCURRENT_CHANNELS = 128;
/**
 * The maximum number of channels of one organization that a process serves at the same time, so that slow
 * receivers of one organization do not delay the alerts of others.
 */
export const MAX_CONCURRENT_CHANNELS_PER_ORG = 16;

/** A channel to which this process sends messages. */
interface ServedChannel {
  readonly orgId: string;
  /** Resolves when the turn of the channel has ended. */
  readonly done: Promise<void>;
}

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
  const { clock, log } = options;
  const serving = new Map<string, ServedChannel>();
  const turn: AlertRoutingTurn = { lastOrgId: '' };
  const roundFailure = new RepeatedFailureLog(log, clock, {
    failed: 'alerts could not be delivered because of a database error; retrying',
    recovered: 'alert delivery works again',
  });
  let closed = false;
  let timer: Timer | null = null;
  let round = Promise.resolve();
  const context: AlertDeliveryContext = { ...options, owner: randomUUID(), isClosing: () => closed };

  const next = () => {
    timer = clock.after(ROUND_INTERVAL_MS, () => {
      round = runDeliveryRound(context, serving, turn)
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
    await Promise.all([...serving.values()].map(({ done }) => done));
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

/** Creates the deliveries of new alerts, and serves channels that have due messages. */
async function runDeliveryRound(
  context: AlertDeliveryContext,
  serving: Map<string, ServedChannel>,
  turn: AlertRoutingTurn,
): Promise<void> {
  const { clock, database, isClosing } = context;
  const routeUntil = clock.monotonic() + MAX_ROUTING_MS;
  while (!isClosing() && (await createAlertDeliveries(database, clock, turn)).more)
    if (clock.monotonic() >= routeUntil) break;
  const free = createFreePlaces(serving.values());
  if (isClosing() || free.total <= 0) return;
  for (const channel of await listDueChannels(database.read, {
    nowMs: clock.now(),
    serving: [...serving.keys()],
    busyOrgs: free.busyOrgs,
    maxPerOrg: MAX_CONCURRENT_CHANNELS_PER_ORG,
    limit: free.total,
  }))
    if (!isClosing() && free.take(channel.org_id)) serve(channel, context, serving);
}

function serve(
  { id, org_id: orgId, name }: DueChannel,
  context: AlertDeliveryContext,
  serving: Map<string, ServedChannel>,
): void {
  const done = deliverToChannel(id, context)
    .catch((error: unknown) => {
      const fields = { err: error, channel: name };
      context.log.warn(fields, 'alerts could not be delivered to a channel; retrying');
    })
    .finally(() => serving.delete(id));
  serving.set(id, { orgId, done });
}

/** Counts the channels that may be served in addition to the given ones. */
function createFreePlaces(served: Iterable<ServedChannel>) {
  const byOrg = new Map<string, number>();
  let total = MAX_CONCURRENT_CHANNELS;
  const take = (orgId: string): boolean => {
    const count = (byOrg.get(orgId) ?? 0) + 1;
    if (count > MAX_CONCURRENT_CHANNELS_PER_ORG) return false;
    byOrg.set(orgId, count);
    total -= 1;
    return true;
  };
  for (const { orgId } of served) take(orgId);
  const isFull = (count: number) => count >= MAX_CONCURRENT_CHANNELS_PER_ORG;
  const busyOrgs = [...byOrg].filter(([, count]) => isFull(count)).map(([orgId]) => orgId);
  /** `take` returns whether a further channel of the organization may be served. */
  return { total, busyOrgs, take };
}
