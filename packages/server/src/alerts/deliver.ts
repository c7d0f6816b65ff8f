import type { Clock } from '../core/clock.ts';
import { newId } from '../core/ids.ts';
import type { Log } from '../core/log.ts';
import type { SecretsKey } from '../platform/secrets.ts';
import { type ChannelRow, changeLeased, channelOf, leaseChannel } from '../store/channels.ts';
import {
  changeDeliveries,
  type DeliveryChange,
  insertDeliveries,
  type NewDeliveryRow,
  type PendingDelivery,
  settleDeliveries,
} from '../store/deliveries.ts';
import type { Database, Writer } from '../store/ports.ts';
import { isChannelKind, SHEETS } from './channels/sheets.ts';
import { type Composed, type ComposeOptions, compose, type Quiet } from './compose.ts';
import { noticeOf } from './notice.ts';
import type { Failure, Outcome, Sender } from './send.ts';
import { listeningOf, openChannel } from './stored-channel.ts';

/** Longer than any try takes: a process that is gone is replaced after this. */
export const LEASE_MS = 60_000;
const BACKOFF_FIRST_MS = 5_000;
const BACKOFF_MOST_MS = 60 * 60 * 1000;
/** For a receiver that understood and refused. */
const TRIES_REFUSED = 5;
const AGE_MS = 24 * 60 * 60 * 1000;
/** So many messages in a row that fail speak of the receiver and no longer of themselves. */
const DOWN_AFTER = 3;
/** A receiver that is down is asked at least this often: with one message, the one tried least. */
const REST_MOST_MS = 60_000;
/** A message about many that failed this often is split: one of them may be what the receiver cannot take. */
const SPLIT_AFTER = 3;
/** So long such a message waits at most when the receiver asks for more. */
const GATHERED_WAIT_MOST_MS = 30_000;

/** What became of a message, for metrics. */
export type DeliveryResult = 'sent' | 'failed' | 'dead';

export interface DeliverParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly sender: Sender;
  readonly secretsKey: SecretsKey;
  readonly baseUrl: () => string;
  readonly quiet: Quiet;
  readonly random: () => number;
  /** Names this process in leases. */
  readonly owner: string;
  readonly closing: () => boolean;
  readonly count: (kind: string, result: DeliveryResult) => void;
}

/**
 * Sends what a channel is owed until nothing is due or the receiver is down. Of several processes one at a
 * time does this for a channel. One that dies between sending and writing it down leaves the message to the
 * next holder of the lease, who sends it again under the same id.
 */
export async function deliverTo(channel: ChannelRow, parts: DeliverParts): Promise<void> {
  const { clock, database, owner } = parts;
  const now = clock.now();
  const taken = await database.transaction((writer) =>
    leaseChannel(writer, channel.id, { owner, fromMs: now, untilMs: now + LEASE_MS }),
  );
  if (!taken) return;
  while (!parts.closing()) if (!(await deliverNext(channel, parts))) return;
  await database.transaction((writer) => changeLeased(writer, channel.id, owner, { leased_until: 0 }));
}

/** One message of a channel. */
interface Message {
  readonly channel: ChannelRow;
  readonly composed: Composed;
}

/** Sends one message, to the channel as it is by then; false when this process is done with it for now. */
async function deliverNext({ id }: ChannelRow, parts: DeliverParts): Promise<boolean> {
  const { clock, database, owner, quiet } = parts;
  const next = await database.transaction(async (writer) => {
    const now = clock.now();
    const channel = await channelOf(writer, id);
    if (!channel) return null;
    const incidents = isChannelKind(channel.kind) && SHEETS[channel.kind].incidents === true;
    const repeat: ComposeOptions['repeat'] = (deliveries, at) => repetitions(channel, deliveries, at);
    const options = { channelId: channel.id, incidents, nowMs: now, quiet, repeat };
    const composed = await compose(writer, options);
    const held = await changeLeased(writer, channel.id, owner, {
      leased_until: composed === null ? 0 : now + LEASE_MS,
    });
    return held && composed ? { channel, composed } : null;
  });
  if (next === null) return false;
  const outcome = await attempt(next, parts);
  return database.transaction((writer) => settle(writer, next, outcome, parts));
}

async function attempt({ channel, composed }: Message, parts: DeliverParts): Promise<Outcome> {
  const now = parts.clock.now();
  try {
    const opened = openChannel(channel, parts.secretsKey, now);
    return await parts.sender.send(noticeOf(composed.told, parts.baseUrl(), now), opened);
  } catch (error) {
    // A channel whose secrets do not open: no reason to stop delivering to the others.
    parts.log.error({ err: error, channel: channel.name }, 'a channel cannot be used');
    const reason = error instanceof Error ? error.message : String(error);
    return { ...UNUSABLE, error: reason };
  }
}

async function settle(
  writer: Writer,
  message: Message,
  outcome: Outcome,
  parts: DeliverParts,
): Promise<boolean> {
  if (!outcome.ok) return fail(writer, message, outcome, parts);
  const { channel, composed } = message;
  const now = parts.clock.now();
  const deliveries = composed.deliveries.map(({ delivery }) => delivery);
  const [{ delivery: first }] = composed.deliveries;
  const change = { failures: 0, resting_until: 0, leased_until: now + LEASE_MS };
  if (!(await changeLeased(writer, channel.id, parts.owner, change))) return false;
  const { status } = outcome;
  const attempts = first.attempts + 1;
  const sent = { state: 'sent', held: null, sent_at: now, attempts, status, error: null };
  await settleDeliveries(writer, deliveries, sent, now);
  await insertDeliveries(writer, repetitions(channel, composed.deliveries, now));
  parts.count(channel.kind, 'sent');
  return true;
}

/** Writes down that a try failed; whether the next message may be tried at once. */
async function fail(
  writer: Writer,
  { channel, composed }: Message,
  outcome: Failure,
  parts: DeliverParts,
): Promise<boolean> {
  const now = parts.clock.now();
  const { status, error, retryAfterMs = 0 } = outcome;
  const [{ delivery: first }] = composed.deliveries;
  const attempts = first.attempts + 1;
  const failures = failuresAfter(channel, first.attempts, outcome);
  const restMs = restAfter(failures, outcome, parts.random);
  const rest = {
    resting_until: restMs > 0 ? now + restMs : 0,
    leased_until: restMs > 0 ? 0 : now + LEASE_MS,
  };
  if (!(await changeLeased(writer, channel.id, parts.owner, { failures, ...rest }))) return false;
  // What did not reach the receiver is not the message's fault: it goes as soon as anything does.
  // Of several in one message perhaps one is the reason for the wait: the others do not wait for it that long.
  const askedMs =
    composed.deliveries.length > 1 ? Math.min(retryAfterMs, GATHERED_WAIT_MOST_MS) : retryAfterMs;
  const waitMs = outcome.reached ? Math.max(askedMs, backoffMs(attempts, parts.random)) : 0;
  const age = now + Math.max(waitMs, restMs) - first.created_at;
  const isDead = (outcome.refused && attempts >= TRIES_REFUSED) || age > AGE_MS;
  const fields = { channel: channel.name, org: channel.org_id, status, error, attempts };
  parts.log.warn(
    fields,
    isDead ? 'an alert could not be delivered and is given up' : 'an alert was not taken',
  );
  parts.count(channel.kind, isDead ? 'dead' : 'failed');
  const change = { status, error, attempts };
  if (!isDead && mayBeSplit(composed, outcome, attempts)) await split(writer, composed, change, now);
  else {
    const state = isDead ? 'dead' : 'pending';
    const deliveries = composed.deliveries.map(({ delivery }) => delivery);
    await settleDeliveries(writer, deliveries, { state, ...change, due_at: now + waitMs }, now);
  }
  return restMs === 0;
}

/** Messages in a row that failed, each counted once; tries count only when the receiver is down. */
function failuresAfter({ failures }: ChannelRow, attemptsBefore: number, { reached }: Failure): number {
  if (!reached) return Math.max(failures, DOWN_AFTER - 1) + 1;
  return attemptsBefore === 0 || failures >= DOWN_AFTER ? failures + 1 : failures;
}

/** How long the receiver is left alone; 0 while only single messages failed. */
function restAfter(failures: number, { limited, retryAfterMs = 0 }: Failure, random: () => number): number {
  const restMs =
    failures >= DOWN_AFTER ? Math.min(REST_MOST_MS, backoffMs(failures - DOWN_AFTER + 1, random)) : 0;
  return limited ? Math.max(retryAfterMs, restMs, backoffMs(1, random)) : restMs;
}

function mayBeSplit({ deliveries }: Composed, outcome: Failure, attempts: number): boolean {
  const isOfMessage = outcome.reached && !outcome.limited;
  return deliveries.length > 1 && isOfMessage && (outcome.refused || attempts >= SPLIT_AFTER);
}

/** Two messages of one: the first keeps the id, the second has that of its own first delivery. Both are due now. */
async function split(
  writer: Writer,
  { deliveries }: Composed,
  change: Pick<DeliveryChange, 'status' | 'error'>,
  nowMs: number,
): Promise<void> {
  const all = deliveries.map(({ delivery }) => delivery);
  // Tried once as they are from here on, so that they are not gathered into one message again.
  const tried = { ...change, state: 'pending', attempts: 1, due_at: nowMs, held: null };
  await settleDeliveries(writer, all, tried, nowMs);
  const [second, ...others] = all.slice(Math.ceil(all.length / 2));
  if (!second) return;
  await changeDeliveries(writer, [second.id], { folded_into: null });
  await changeDeliveries(
    writer,
    others.map(({ id }) => id),
    { folded_into: second.id },
  );
}

/** A channel whose secrets do not open. */
const UNUSABLE = {
  ok: false,
  status: null,
  retryAfterMs: undefined,
  refused: false,
  reached: false,
  limited: false,
} as const;

/** Doubles from 5 s to an hour; the upper half of each is chance, so that many do not come back at once. */
function backoffMs(failures: number, random: () => number): number {
  const most = Math.min(BACKOFF_MOST_MS, BACKOFF_FIRST_MS * 2 ** (failures - 1));
  return Math.round(most / 2 + (random() * most) / 2);
}

/** What is told again while it lasts, where the channel asks for that. */
function repetitions(
  channel: ChannelRow,
  deliveries: readonly PendingDelivery[],
  nowMs: number,
): NewDeliveryRow[] {
  const { realertMinutes } = listeningOf(channel);
  if (realertMinutes === 0) return [];
  return deliveries
    .filter(({ alert }) => alert.phase === 'opens' && alert.closed_at === null)
    .map(({ delivery: { seq: _, ...delivery } }) => ({
      ...delivery,
      id: newId('dlv', nowMs),
      repetition: delivery.repetition + 1,
      state: 'pending',
      held: 'repeating',
      created_at: nowMs + realertMinutes * 60_000,
      due_at: nowMs + realertMinutes * 60_000,
      attempts: 0,
      sent_at: null,
      status: null,
      error: null,
      folded_into: null,
    }));
}
