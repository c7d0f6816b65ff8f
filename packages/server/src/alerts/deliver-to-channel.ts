import type { Clock } from '../core/clock.ts';
import { newId } from '../core/ids.ts';
import type { Log } from '../core/log.ts';
import type { SecretsKey } from '../platform/secrets.ts';
import {
  type AlertDeliveryUpdate,
  insertAlertDeliveries,
  type NewAlertDeliveryRow,
  type PendingDelivery,
  recordDeliveryOutcome,
  updateDeliveries,
} from '../store/alert-deliveries.ts';
import {
  acquireChannelLease,
  type ChannelRow,
  findChannelById,
  updateLeasedChannel,
} from '../store/channels.ts';
import type { Database, DatabaseWriter } from '../store/ports.ts';
import { createNotice } from './alert-notice.ts';
import type { AlertSender, AlertSendFailure, AlertSendOutcome } from './alert-sender.ts';
import { CHANNEL_SHEETS, isChannelKind } from './channels/channel-sheets.ts';
import {
  type ComposedMessage,
  type ComposeOptions,
  composeNextMessage,
  type MuteResolver,
} from './compose-message.ts';
import { openChannel, parseChannelSubscription } from './stored-channel.ts';

/** Longer than any try takes: a process that is gone is replaced after this. */
export const CHANNEL_LEASE_MS = 60_000;
const FIRST_BACKOFF_MS = 5_000;
const MAX_BACKOFF_MS = 60 * 60 * 1000;
/** For a receiver that understood and refused. */
const MAX_REFUSED_ATTEMPTS = 5;
const MAX_DELIVERY_AGE_MS = 24 * 60 * 60 * 1000;
/** So many messages in a row that fail speak of the receiver and no longer of themselves. */
const DOWN_AFTER = 3;
/** A receiver that is down is asked at least this often: with one message, the one tried least. */
const MAX_COOLDOWN_MS = 60_000;
/** A message about many that failed this often is split: one of them may be what the receiver cannot take. */
const SPLIT_AFTER = 3;
/** So long such a message waits at most when the receiver asks for more. */
const MAX_FOLDED_WAIT_MS = 30_000;

/** What became of a message, for metrics. */
export type DeliveryResult = 'sent' | 'retry' | 'failed';

export interface DeliveryContext {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly sender: AlertSender;
  readonly secretsKey: SecretsKey;
  readonly baseUrl: () => string;
  readonly resolveMutes: MuteResolver;
  readonly random: () => number;
  /** Names this process in leases. */
  readonly owner: string;
  readonly isClosing: () => boolean;
  readonly countResult: (kind: string, result: DeliveryResult) => void;
}

/**
 * Sends what a channel is owed until nothing is due or the receiver is down. Of several processes one at a
 * time does this for a channel. One that dies between sending and writing it down leaves the message to the
 * next holder of the lease, who sends it again under the same id.
 */
export async function deliverToChannel(channel: ChannelRow, context: DeliveryContext): Promise<void> {
  const { clock, database, owner } = context;
  const now = clock.now();
  const taken = await database.transaction((writer) =>
    acquireChannelLease(writer, channel.id, { owner, fromMs: now, untilMs: now + CHANNEL_LEASE_MS }),
  );
  if (!taken) return;
  while (!context.isClosing()) if (!(await deliverNext(channel, context))) return;
  await database.transaction((writer) => updateLeasedChannel(writer, channel.id, owner, { leased_until: 0 }));
}

/** One message of a channel. */
interface OutgoingMessage {
  readonly channel: ChannelRow;
  readonly composed: ComposedMessage;
}

/** Sends one message, to the channel as it is by then; false when this process is done with it for now. */
async function deliverNext({ id }: ChannelRow, context: DeliveryContext): Promise<boolean> {
  const { clock, database, owner, resolveMutes } = context;
  const next = await database.transaction(async (writer) => {
    const now = clock.now();
    const channel = await findChannelById(writer, id);
    if (!channel) return null;
    const incidents = isChannelKind(channel.kind) && CHANNEL_SHEETS[channel.kind].keepsIncidents === true;
    const repeat: ComposeOptions['createRepetitions'] = (deliveries, at) =>
      createRepetitions(channel, deliveries, at);
    const options = {
      channelId: channel.id,
      keepsIncidents: incidents,
      nowMs: now,
      resolveMutes,
      createRepetitions: repeat,
    };
    const composed = await composeNextMessage(writer, options);
    const held = await updateLeasedChannel(writer, channel.id, owner, {
      leased_until: composed === null ? 0 : now + CHANNEL_LEASE_MS,
    });
    return held && composed ? { channel, composed } : null;
  });
  if (next === null) return false;
  const outcome = await sendMessage(next, context);
  return database.transaction((writer) => recordOutcome(writer, next, outcome, context));
}

async function sendMessage(
  { channel, composed }: OutgoingMessage,
  context: DeliveryContext,
): Promise<AlertSendOutcome> {
  const now = context.clock.now();
  try {
    const opened = openChannel(channel, context.secretsKey, now);
    return await context.sender.send(createNotice(composed.content, context.baseUrl(), now), opened);
  } catch (error) {
    // A channel whose secrets do not open: no reason to stop delivering to the others.
    context.log.error({ err: error, channel: channel.name }, 'alert channel cannot be used');
    const reason = error instanceof Error ? error.message : String(error);
    return { ...UNREADABLE_SECRETS, error: reason };
  }
}

async function recordOutcome(
  writer: DatabaseWriter,
  message: OutgoingMessage,
  outcome: AlertSendOutcome,
  context: DeliveryContext,
): Promise<boolean> {
  if (!outcome.ok) return recordDeliveryFailure(writer, message, outcome, context);
  const { channel, composed } = message;
  const now = context.clock.now();
  const deliveries = composed.deliveries.map(({ delivery }) => delivery);
  const [{ delivery: first }] = composed.deliveries;
  const change = { failures: 0, backoff_until: 0, leased_until: now + CHANNEL_LEASE_MS };
  if (!(await updateLeasedChannel(writer, channel.id, context.owner, change))) return false;
  const { status } = outcome;
  const attempts = first.attempts + 1;
  const sent = { state: 'sent', pending_reason: null, sent_at: now, attempts, status, error: null };
  await recordDeliveryOutcome(writer, deliveries, sent, now);
  await insertAlertDeliveries(writer, createRepetitions(channel, composed.deliveries, now));
  context.countResult(channel.kind, 'sent');
  return true;
}

/** Writes down that a try failed; whether the next message may be tried at once. */
async function recordDeliveryFailure(
  writer: DatabaseWriter,
  { channel, composed }: OutgoingMessage,
  outcome: AlertSendFailure,
  context: DeliveryContext,
): Promise<boolean> {
  const now = context.clock.now();
  const { status, error, retryAfterMs = 0 } = outcome;
  const [{ delivery: first }] = composed.deliveries;
  const attempts = first.attempts + 1;
  const failures = failuresAfter(channel, first.attempts, outcome);
  const restMs = cooldownAfter(failures, outcome, context.random);
  const rest = {
    backoff_until: restMs > 0 ? now + restMs : 0,
    leased_until: restMs > 0 ? 0 : now + CHANNEL_LEASE_MS,
  };
  if (!(await updateLeasedChannel(writer, channel.id, context.owner, { failures, ...rest }))) return false;
  // What did not reach the receiver is not the message's fault: it goes as soon as anything does.
  // Of several in one message perhaps one is the reason for the wait: the others do not wait for it that long.
  const askedMs = composed.deliveries.length > 1 ? Math.min(retryAfterMs, MAX_FOLDED_WAIT_MS) : retryAfterMs;
  const waitMs = outcome.isConnected ? Math.max(askedMs, backoffMs(attempts, context.random)) : 0;
  const age = now + Math.max(waitMs, restMs) - first.created_at;
  const isDead = (outcome.isRefused && attempts >= MAX_REFUSED_ATTEMPTS) || age > MAX_DELIVERY_AGE_MS;
  const fields = { channel: channel.name, org: channel.org_id, status, error, attempts };
  context.log.warn(
    fields,
    isDead
      ? 'alert could not be delivered; no further attempts are made'
      : 'alert could not be delivered; retrying later',
  );
  context.countResult(channel.kind, isDead ? 'failed' : 'retry');
  const change = { status, error, attempts };
  if (!isDead && shouldSplit(composed, outcome, attempts)) await splitMessage(writer, composed, change, now);
  else {
    const state = isDead ? 'failed' : 'pending';
    const deliveries = composed.deliveries.map(({ delivery }) => delivery);
    await recordDeliveryOutcome(writer, deliveries, { state, ...change, due_at: now + waitMs }, now);
  }
  return restMs === 0;
}

/** Messages in a row that failed, each counted once; tries count only when the receiver is down. */
function failuresAfter(
  { failures }: ChannelRow,
  attemptsBefore: number,
  { isConnected }: AlertSendFailure,
): number {
  if (!isConnected) return Math.max(failures, DOWN_AFTER - 1) + 1;
  return attemptsBefore === 0 || failures >= DOWN_AFTER ? failures + 1 : failures;
}

/** How long the receiver is left alone; 0 while only single messages failed. */
function cooldownAfter(
  failures: number,
  { isRateLimited, retryAfterMs = 0 }: AlertSendFailure,
  random: () => number,
): number {
  const restMs =
    failures >= DOWN_AFTER ? Math.min(MAX_COOLDOWN_MS, backoffMs(failures - DOWN_AFTER + 1, random)) : 0;
  return isRateLimited ? Math.max(retryAfterMs, restMs, backoffMs(1, random)) : restMs;
}

function shouldSplit({ deliveries }: ComposedMessage, outcome: AlertSendFailure, attempts: number): boolean {
  const isOfMessage = outcome.isConnected && !outcome.isRateLimited;
  return deliveries.length > 1 && isOfMessage && (outcome.isRefused || attempts >= SPLIT_AFTER);
}

/** Two messages of one: the first keeps the id, the second has that of its own first delivery. Both are due now. */
async function splitMessage(
  writer: DatabaseWriter,
  { deliveries }: ComposedMessage,
  change: Pick<AlertDeliveryUpdate, 'status' | 'error'>,
  nowMs: number,
): Promise<void> {
  const all = deliveries.map(({ delivery }) => delivery);
  // Tried once as they are from here on, so that they are not gathered into one message again.
  const tried = { ...change, state: 'pending', attempts: 1, due_at: nowMs, pending_reason: null };
  await recordDeliveryOutcome(writer, all, tried, nowMs);
  const [second, ...others] = all.slice(Math.ceil(all.length / 2));
  if (!second) return;
  await updateDeliveries(writer, [second.id], { grouped_into: null });
  await updateDeliveries(
    writer,
    others.map(({ id }) => id),
    { grouped_into: second.id },
  );
}

/** A channel whose secrets do not open. */
const UNREADABLE_SECRETS = {
  ok: false,
  status: null,
  retryAfterMs: undefined,
  isRefused: false,
  isConnected: false,
  isRateLimited: false,
} as const;

/** Doubles from 5 s to an hour; the upper half of each is chance, so that many do not come back at once. */
function backoffMs(failures: number, random: () => number): number {
  const most = Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (failures - 1));
  return Math.round(most / 2 + (random() * most) / 2);
}

/** What is told again while it lasts, where the channel asks for that. */
function createRepetitions(
  channel: ChannelRow,
  deliveries: readonly PendingDelivery[],
  nowMs: number,
): NewAlertDeliveryRow[] {
  const { realertMinutes } = parseChannelSubscription(channel);
  if (realertMinutes === 0) return [];
  return deliveries
    .filter(({ alert }) => alert.phase === 'opens' && alert.closed_at === null)
    .map(({ delivery: { seq: _, ...delivery } }) => ({
      ...delivery,
      id: newId('dlv', nowMs),
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
