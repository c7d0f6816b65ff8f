import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { SecretEncryptionKey } from '../platform/secrets.ts';
import {
  type AlertDeliveryUpdate,
  insertAlertDeliveries,
  recordAlertDeliveryOutcome,
  updateAlertDeliveries,
} from '../store/alert-deliveries.ts';
import {
  acquireChannelLease,
  type ChannelRow,
  findChannelById,
  updateLeasedChannel,
} from '../store/channels.ts';
import type { Database, DatabaseWriter } from '../store/store-interfaces.ts';
import { createAlertMessage } from './alert-message.ts';
import { createAlertRepetitions } from './alert-repetitions.ts';
import type { AlertSender, AlertSendFailure, AlertSendOutcome } from './alert-sender.ts';
import { managesIncidents } from './channels/channel-definitions.ts';
import { prepareNextAlertMessage } from './prepare-alert-message.ts';
import type {
  AlertMuteResolver,
  PrepareAlertMessageOptions,
  PreparedAlertMessage,
} from './prepared-alert-message.ts';
import { sendSkippedRecoveries } from './skip-ended-failures.ts';
import { decryptChannel } from './stored-channel.ts';

/**
 * How long a process has the exclusive right to send to a channel, in milliseconds. It is longer
 * than any attempt. If the process ends, another one takes over after this time.
 */
export const CHANNEL_LEASE_MS = 60_000;
/**
 * How long a channel is served at a time, in milliseconds. An attempt that has begun is completed. Afterwards,
 * channels that have waited longer are served first.
 */
export const CHANNEL_TURN_MS = 10_000;
const FIRST_BACKOFF_MS = 5_000;
const MAX_BACKOFF_MS = 60 * 60 * 1000;
/** Maximum number of attempts for a message that the receiver rejects. */
const MAX_REFUSED_ATTEMPTS = 5;
const MAX_DELIVERY_AGE_MS = 24 * 60 * 60 * 1000;
/** Number of consecutive failed messages after which the receiver is considered down. */
const DOWN_AFTER = 3;
/** Maximum time between attempts to a receiver that is down. */
const MAX_COOLDOWN_MS = 60_000;
/** Failures after which a grouped message is split, because perhaps only one alert is rejected. */
const SPLIT_AFTER = 3;
/** Maximum wait of a grouped message, even if the receiver requests more. */
const MAX_FOLDED_WAIT_MS = 30_000;

/** The result of a delivery attempt, for metrics. */
export type AlertDeliveryResult = 'sent' | 'retry' | 'failed';

/** The dependencies of alert delivery. */
export interface AlertDeliveryContext {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly sender: AlertSender;
  readonly secretsKey: SecretEncryptionKey;
  readonly baseUrl: () => string;
  readonly resolveMutes: AlertMuteResolver;
  readonly random: () => number;
  /** Identifies this process in leases on channels. */
  readonly owner: string;
  readonly isClosing: () => boolean;
  readonly countResult: (kind: string, result: AlertDeliveryResult) => void;
}

/**
 * Sends a channel's messages until none is due, the receiver is unavailable, or the channel's turn ends. Only
 * one process at a time does this for a channel. If the process ends between sending a message and recording
 * it, the next process sends the message again with the same id.
 */
export async function deliverToChannel(channelId: string, context: AlertDeliveryContext): Promise<void> {
  const { clock, database, owner } = context;
  const now = clock.now();
  const taken = await database.transaction((writer) =>
    acquireChannelLease(writer, channelId, { owner, fromMs: now, untilMs: now + CHANNEL_LEASE_MS }),
  );
  if (!taken) return;
  const turnEndsAt = clock.monotonic() + CHANNEL_TURN_MS;
  while (!context.isClosing() && clock.monotonic() < turnEndsAt)
    if (!(await deliverNext(channelId, context))) return;
  // The end of the lease determines the order of the channels that wait.
  const change = { leased_until: clock.now() };
  await database.transaction((writer) => updateLeasedChannel(writer, channelId, owner, change));
}

/** A message with the channel to which it is sent. */
interface OutgoingMessage {
  readonly channel: ChannelRow;
  readonly prepared: PreparedAlertMessage;
}

/** Sends one message with the channel's current settings. Returns false if this process must stop. */
async function deliverNext(id: string, context: AlertDeliveryContext): Promise<boolean> {
  const { clock, database, owner, resolveMutes } = context;
  const next = await database.transaction(async (writer) => {
    const now = clock.now();
    const channel = await findChannelById(writer, id);
    if (!channel) return null;
    const repeat: PrepareAlertMessageOptions['createRepetitions'] = (deliveries, at) =>
      createAlertRepetitions(channel, deliveries, at);
    const options = {
      channelId: channel.id,
      managesIncidents: managesIncidents(channel),
      nowMs: now,
      resolveMutes,
      createRepetitions: repeat,
    };
    const prepared = await prepareNextAlertMessage(writer, options);
    const held = await updateLeasedChannel(writer, channel.id, owner, {
      leased_until: prepared === null ? now : now + CHANNEL_LEASE_MS,
    });
    return held && prepared ? { channel, prepared } : null;
  });
  if (next === null) return false;
  const outcome = await sendMessage(next, context);
  return database.transaction((writer) => recordOutcome(writer, next, outcome, context));
}

async function sendMessage(
  { channel, prepared }: OutgoingMessage,
  context: AlertDeliveryContext,
): Promise<AlertSendOutcome> {
  const now = context.clock.now();
  try {
    const opened = decryptChannel(channel, context.secretsKey, now);
    return await context.sender.send(createAlertMessage(prepared.content, context.baseUrl(), now), opened);
  } catch (error) {
    // The secrets of this channel cannot be decrypted. Other channels must still be served.
    context.log.error(
      { err: error, channel: channel.name },
      'secrets of a channel could not be decrypted, so its alerts are not sent; check FLOE_ENCRYPTION_KEYS, or enter the secrets again; retrying',
    );
    const reason = error instanceof Error ? error.message : String(error);
    return { ...UNREADABLE_SECRETS, error: reason };
  }
}

async function recordOutcome(
  writer: DatabaseWriter,
  message: OutgoingMessage,
  outcome: AlertSendOutcome,
  context: AlertDeliveryContext,
): Promise<boolean> {
  if (!outcome.ok) return recordDeliveryFailure(writer, message, outcome, context);
  const { channel, prepared } = message;
  const now = context.clock.now();
  const deliveries = prepared.deliveries.map(({ delivery }) => delivery);
  const [{ delivery: first }] = prepared.deliveries;
  const change = { failures: 0, backoff_until: 0, leased_until: now + CHANNEL_LEASE_MS };
  if (!(await updateLeasedChannel(writer, channel.id, context.owner, change))) return false;
  const { status, warning = null } = outcome;
  if (warning !== null)
    context.log.warn(
      { channel: channel.name, org: channel.org_id },
      'mail server rejected some of the recipients of an alert',
    );
  const attempts = first.attempts + 1;
  const sent = { state: 'sent', pending_reason: null, sent_at: now, attempts, status, error: warning };
  await recordAlertDeliveryOutcome(writer, deliveries, sent, now);
  await insertAlertDeliveries(writer, createAlertRepetitions(channel, prepared.deliveries, now));
  context.countResult(channel.kind, 'sent');
  return true;
}

/** Records a failed attempt. Returns whether the next message may be sent immediately. */
async function recordDeliveryFailure(
  writer: DatabaseWriter,
  { channel, prepared }: OutgoingMessage,
  outcome: AlertSendFailure,
  context: AlertDeliveryContext,
): Promise<boolean> {
  const now = context.clock.now();
  const { status, error, retryAfterMs = 0 } = outcome;
  const [{ delivery: first }] = prepared.deliveries;
  const attempts = first.attempts + 1;
  const failures = failuresAfter(channel, first.attempts, outcome);
  const restMs = cooldownAfter(failures, outcome, context.random);
  const rest = {
    backoff_until: restMs > 0 ? now + restMs : 0,
    leased_until: restMs > 0 ? now : now + CHANNEL_LEASE_MS,
  };
  if (!(await updateLeasedChannel(writer, channel.id, context.owner, { failures, ...rest }))) return false;
  // Without a connection, the message is due as soon as the receiver is reachable. In a grouped message,
  // one alert may be the cause of the wait, so the others wait less.
  const askedMs = prepared.deliveries.length > 1 ? Math.min(retryAfterMs, MAX_FOLDED_WAIT_MS) : retryAfterMs;
  const waitMs = outcome.isConnected ? Math.max(askedMs, backoffMs(attempts, context.random)) : 0;
  // The alert may have waited for days before the first attempt, because it was muted or Floe was not running.
  const firstAttemptAt = first.attempts === 0 ? now : first.created_at;
  const age = now + Math.max(waitMs, restMs) - firstAttemptAt;
  const isDead = (outcome.isRefused && attempts >= MAX_REFUSED_ATTEMPTS) || age > MAX_DELIVERY_AGE_MS;
  const fields = { channel: channel.name, org: channel.org_id, status, error, attempts };
  context.log.warn(
    fields,
    isDead
      ? 'alert could not be delivered; no further attempts are made'
      : 'alert could not be delivered; retrying later',
  );
  context.countResult(channel.kind, isDead ? 'failed' : 'retry');
  const change = { status, error, attempts, created_at: firstAttemptAt };
  if (!isDead && shouldSplit(prepared, outcome, attempts)) await splitMessage(writer, prepared, change, now);
  else {
    const state = isDead ? 'failed' : 'pending';
    const deliveries = prepared.deliveries.map(({ delivery }) => delivery);
    await recordAlertDeliveryOutcome(writer, deliveries, { state, ...change, due_at: now + waitMs }, now);
    if (isDead) {
      await insertAlertDeliveries(writer, createAlertRepetitions(channel, prepared.deliveries, now));
      const ids = deliveries.map(({ id }) => id);
      await sendSkippedRecoveries(writer, ids, now);
    }
  }
  return restMs === 0;
}

/**
 * Returns the number of consecutive failed messages. Counts each message once, but counts every attempt if
 * the receiver is down.
 */
function failuresAfter(
  { failures }: ChannelRow,
  attemptsBefore: number,
  { isConnected }: AlertSendFailure,
): number {
  if (!isConnected) return Math.max(failures, DOWN_AFTER - 1) + 1;
  return attemptsBefore === 0 || failures >= DOWN_AFTER ? failures + 1 : failures;
}

/** Returns the milliseconds until the next attempt; 0 if only single messages failed. */
function cooldownAfter(
  failures: number,
  { isRateLimited, retryAfterMs = 0 }: AlertSendFailure,
  random: () => number,
): number {
  const restMs =
    failures >= DOWN_AFTER ? Math.min(MAX_COOLDOWN_MS, backoffMs(failures - DOWN_AFTER + 1, random)) : 0;
  return isRateLimited ? Math.max(retryAfterMs, restMs, backoffMs(1, random)) : restMs;
}

function shouldSplit(
  { deliveries }: PreparedAlertMessage,
  outcome: AlertSendFailure,
  attempts: number,
): boolean {
  const isOfMessage = outcome.isConnected && !outcome.isRateLimited;
  return deliveries.length > 1 && isOfMessage && (outcome.isRefused || attempts >= SPLIT_AFTER);
}

/**
 * Splits a message into two that are both due now. The first one keeps the id. The second one has the id of
 * its first delivery.
 */
async function splitMessage(
  writer: DatabaseWriter,
  { deliveries }: PreparedAlertMessage,
  change: Pick<AlertDeliveryUpdate, 'status' | 'error' | 'created_at'>,
  nowMs: number,
): Promise<void> {
  const all = deliveries.map(({ delivery }) => delivery);
  // With one recorded attempt, the deliveries are not grouped again.
  const tried = { ...change, state: 'pending', attempts: 1, due_at: nowMs, pending_reason: null };
  await recordAlertDeliveryOutcome(writer, all, tried, nowMs);
  const [second, ...others] = all.slice(Math.ceil(all.length / 2));
  if (!second) return;
  await updateAlertDeliveries(writer, [second.id], { grouped_into: null });
  await updateAlertDeliveries(
    writer,
    others.map(({ id }) => id),
    { grouped_into: second.id },
  );
}

/** The outcome for a channel whose secrets cannot be decrypted. */
const UNREADABLE_SECRETS = {
  ok: false,
  status: null,
  retryAfterMs: undefined,
  isRefused: false,
  isConnected: false,
  isRateLimited: false,
} as const;

/**
 * Returns an exponentially increasing delay, from 5 seconds to one hour. Half of it is random, so that
 * retries do not coincide.
 */
function backoffMs(failures: number, random: () => number): number {
  const most = Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (failures - 1));
  return Math.round(most / 2 + (random() * most) / 2);
}
