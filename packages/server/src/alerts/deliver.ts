import type { Clock } from '../core/clock.ts';
import { newId } from '../core/ids.ts';
import type { Log } from '../core/log.ts';
import type { SecretsKey } from '../platform/secrets.ts';
import { type ChannelRow, changeLeased, channelOf, leaseChannel } from '../store/channels.ts';
import { insertDeliveries, type NewDeliveryRow, settleDeliveries } from '../store/deliveries.ts';
import type { Database, Writer } from '../store/ports.ts';
import { isChannelKind, SHEETS } from './channels/sheets.ts';
import { type Composed, compose, type Quiet } from './compose.ts';
import { noticeOf } from './notice.ts';
import type { Outcome, Sender } from './send.ts';
import { listeningOf, openChannel } from './stored-channel.ts';

/** Longer than any try takes: a process that is gone is replaced after this. */
export const LEASE_MS = 60_000;
const BACKOFF_FIRST_MS = 5_000;
const BACKOFF_MOST_MS = 60 * 60 * 1000;
const TRIES = 30;
/** For a receiver that understood and refused. */
const TRIES_REFUSED = 5;
const AGE_MS = 24 * 60 * 60 * 1000;

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
 * Sends what a channel is owed, in order, until nothing is due or a try fails. Of several processes one at a
 * time does this for a channel. One that dies between sending and writing it down leaves the message to the
 * next holder of the lease, who sends it again under the same id.
 */
export async function deliverTo(channel: ChannelRow, parts: DeliverParts): Promise<void> {
  const { clock, database, owner } = parts;
  const now = clock.now();
  const taken = await database.transaction((writer) =>
    leaseChannel(writer, channel.id, owner, now, now + LEASE_MS),
  );
  if (!taken) return;
  while (!parts.closing()) if (!(await deliverNext(channel, parts))) return;
  await database.transaction((writer) => changeLeased(writer, channel.id, owner, { leased_until: 0 }));
}

/** Sends one message, to the channel as it is by then; false when this process is done with it for now. */
async function deliverNext({ id }: ChannelRow, parts: DeliverParts): Promise<boolean> {
  const { clock, database, owner, quiet } = parts;
  const next = await database.transaction(async (writer) => {
    const now = clock.now();
    const channel = await channelOf(writer, id);
    if (!channel) return null;
    const incidents = isChannelKind(channel.kind) && SHEETS[channel.kind].incidents === true;
    const options = { channelId: channel.id, incidents, nowMs: now, quiet };
    const composed = await compose(writer, options);
    const held = await changeLeased(writer, channel.id, owner, {
      leased_until: composed === null ? 0 : now + LEASE_MS,
    });
    return held && composed ? { channel, composed } : null;
  });
  if (next === null) return false;
  const { channel, composed } = next;
  const outcome = await attempt(channel, composed, parts);
  return database.transaction((writer) => settle(writer, channel, composed, outcome, parts));
}

async function attempt(channel: ChannelRow, { told }: Composed, parts: DeliverParts): Promise<Outcome> {
  const now = parts.clock.now();
  try {
    const opened = openChannel(channel, parts.secretsKey, now);
    return await parts.sender.send(noticeOf(told, parts.baseUrl(), now), opened);
  } catch (error) {
    // A channel whose secrets do not open: no reason to stop delivering to the others.
    parts.log.error({ err: error, channel: channel.name }, 'a channel cannot be used');
    const reason = error instanceof Error ? error.message : String(error);
    return { ok: false, status: null, error: reason, retryAfterMs: undefined, refused: false };
  }
}

async function settle(
  writer: Writer,
  channel: ChannelRow,
  composed: Composed,
  outcome: Outcome,
  parts: DeliverParts,
): Promise<boolean> {
  const now = parts.clock.now();
  const deliveries = composed.deliveries.map(({ delivery }) => delivery);
  const [{ delivery: first }] = composed.deliveries;
  const attempts = first.attempts + 1;
  if (outcome.ok) {
    const change = { failures: 0, resting_until: 0, leased_until: now + LEASE_MS };
    if (!(await changeLeased(writer, channel.id, parts.owner, change))) return false;
    const { status } = outcome;
    const sent = { state: 'sent', held: null, sent_at: now, attempts, status, error: null };
    await settleDeliveries(writer, deliveries, sent, now);
    await insertDeliveries(writer, repetitions(channel, composed, now));
    parts.count(channel.kind, 'sent');
    return true;
  }
  const { status, error, retryAfterMs } = outcome;
  const failures = channel.failures + 1;
  const restMs = Math.max(retryAfterMs ?? 0, backoffMs(failures, parts.random));
  const change = { failures, resting_until: now + restMs, leased_until: 0 };
  if (!(await changeLeased(writer, channel.id, parts.owner, change))) return false;
  const dead =
    attempts >= (outcome.refused ? TRIES_REFUSED : TRIES) || now + restMs - first.created_at > AGE_MS;
  const state = dead ? 'dead' : 'pending';
  await settleDeliveries(writer, deliveries, { state, attempts, status, error }, now);
  parts.count(channel.kind, dead ? 'dead' : 'failed');
  const fields = { channel: channel.name, org: channel.org_id, status, error, attempts };
  parts.log.warn(fields, dead ? 'an alert could not be delivered and is given up' : 'an alert was not taken');
  return false;
}

/** Doubles from 5 s to an hour; the upper half of each is chance, so that many do not come back at once. */
function backoffMs(failures: number, random: () => number): number {
  const most = Math.min(BACKOFF_MOST_MS, BACKOFF_FIRST_MS * 2 ** (failures - 1));
  return Math.round(most / 2 + (random() * most) / 2);
}

/** What is told again while it lasts, where the channel asks for that. */
function repetitions(channel: ChannelRow, { deliveries }: Composed, nowMs: number): NewDeliveryRow[] {
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
