import {
  insertAlertDeliveries,
  listPendingAlertDeliveries,
  type NewAlertDeliveryRow,
  type PendingAlertDelivery,
  recordAlertDeliveryOutcome,
  updateAlertDeliveries,
} from '../store/alert-deliveries.ts';
import {
  countRepeatedFailuresInThread,
  findOpeningAlertDelivery,
  hasOpenAlertInThread,
  listAlertSendTimes,
} from '../store/alert-threads.ts';
import type { DatabaseWriter } from '../store/store-interfaces.ts';
import { getAlertPhase } from './alert.ts';
import type { AlertMessageContent } from './alert-message.ts';
import { isFirstTry, isRelapse, RELAPSE_REASON } from './alert-relapse.ts';
import type { AlertMuteResolver, ComposedAlertMessage } from './composed-alert-message.ts';
import { parseAlertRow } from './stored-alert.ts';

/** Maximum number of pending messages that are read for one message. */
const MAX_PENDING_DELIVERIES = 1_000;
/** Number of failures within a minute that are grouped into one message. */
const STORM_SIZE = 5;
const STORM_MS = 60_000;
/** Interval for checking muted alerts. A mute that ends early takes effect within this time. */
const QUIET_RECHECK_MS = 60_000;

/** Duration of a failure below which its recovery is delayed, because the subject may be flapping. */
const SHORT_FAILURE_MS = 60_000;
/** Delay of such a recovery. It is not sent if the subject fails again within this time. */
const RECOVERY_DELAY_MS = 10_000;

interface DeliveryCandidate extends PendingAlertDelivery {
  readonly thread: string;
  readonly failureCount: number;
}

/** The input for composing the next message to a channel. */
export interface ComposeAlertMessageOptions {
  readonly channelId: string;
  /** Whether the receiver manages incidents (`ChannelDefinition.keepsIncidents`). */
  readonly keepsIncidents: boolean;
  readonly nowMs: number;
  readonly resolveMutes: AlertMuteResolver;
  /** Creates the deliveries that repeat an alert while it is open. */
  readonly createRepetitions: (
    deliveries: readonly PendingAlertDelivery[],
    nowMs: number,
  ) => readonly NewAlertDeliveryRow[];
}

/**
 * Chooses the next message to a channel; null if there is none. Records which alerts are not sent, and why.
 * Stores which alerts the message combines before it is sent, so that every attempt sends the same message
 * with the same id.
 */
export async function composeNextAlertMessage(
  writer: DatabaseWriter,
  options: ComposeAlertMessageOptions,
): Promise<ComposedAlertMessage | null> {
  const { channelId, nowMs } = options;
  const pending = await listPendingAlertDeliveries(writer, channelId, nowMs, MAX_PENDING_DELIVERIES);
  const run = await new PendingDeliveries(writer, options, pending).next();
  const [first] = run;
  if (!first) return null;
  const members = pending.filter(({ delivery }) => delivery.grouped_into === first.delivery.id);
  if (members.length > 0) return toComposedMessage(first, members);
  if (first.delivery.attempts > 0 || isRequested(first)) return toComposedMessage(first, []);
  const opens = first.alert.phase === 'opens' && first.delivery.repetition === 0;
  const gathered = run.some(({ delivery }) => delivery.pending_reason === 'grouped');
  if (run.length < STORM_SIZE && !gathered) {
    const sent = opens
      ? await listAlertSendTimes(writer, channelId, { fromMs: nowMs - STORM_MS, toMs: nowMs }, STORM_SIZE)
      : [];
    const [oldest] = sent;
    if (oldest !== undefined && sent.length >= STORM_SIZE - 1) {
      const ids = run.map(({ delivery }) => delivery.id);
      await updateAlertDeliveries(writer, ids, { pending_reason: 'grouped', due_at: oldest + STORM_MS });
      return composeNextAlertMessage(writer, options);
    }
    return toComposedMessage(first, []);
  }
  const others = run.slice(1);
  const ids = others.map(({ delivery }) => delivery.id);
  await updateAlertDeliveries(writer, ids, { grouped_into: first.delivery.id });
  return toComposedMessage(first, others);
}

function toComposedMessage(
  first: DeliveryCandidate,
  others: readonly PendingAlertDelivery[],
): ComposedAlertMessage {
  const alert = parseAlertRow(first.alert);
  const content: AlertMessageContent = {
    id: first.delivery.id,
    thread: first.thread,
    phase: getAlertPhase(alert),
    repetition: first.delivery.repetition,
    failureCount: others.length === 0 ? first.failureCount : 1,
    alerts: [alert, ...others.map(({ alert }) => parseAlertRow(alert))],
  };
  return { deliveries: [first, ...others], content };
}

/**
 * The pending deliveries of a channel, by subject. Messages about one subject stay in order. Deliveries with
 * fewer attempts come first, so that a rejected message does not delay other subjects.
 */
class PendingDeliveries {
  readonly #writer: DatabaseWriter;
  readonly #options: ComposeAlertMessageOptions;
  readonly #pending: readonly PendingAlertDelivery[];

  constructor(
    writer: DatabaseWriter,
    options: ComposeAlertMessageOptions,
    pending: readonly PendingAlertDelivery[],
  ) {
    this.#writer = writer;
    this.#options = options;
    this.#pending = pending;
  }

  /** Returns the next delivery, and others of the same phase that may be combined with it. */
  async next(): Promise<readonly DeliveryCandidate[]> {
    const quiet = await this.#resolveMutes();
    const run: DeliveryCandidate[] = [];
    for (const items of this.#bySubject()) {
      const candidate = await this.#nextForSubject(items, quiet);
      if (!candidate) continue;
      const [first] = run;
      if (!first || this.#canShareMessage(first, candidate)) run.push(candidate);
      if (run[0] && !this.#canFold(run[0])) return run;
    }
    return run;
  }

  /** Returns the pending deliveries of each subject, in order. */
  #bySubject(): PendingAlertDelivery[][] {
    const subjectOf = ({ alert }: PendingAlertDelivery) => `${alert.subject_kind} ${alert.subject_id}`;
    const subjects = Map.groupBy(this.#pending, subjectOf).values();
    const attempts = ([first]: readonly PendingAlertDelivery[]) => first?.delivery.attempts ?? 0;
    return [...subjects].sort((one, other) => attempts(one) - attempts(other));
  }

  /** Returns the next delivery of one subject that may be sent; null if an earlier one must be sent first. */
  async #nextForSubject(
    items: readonly PendingAlertDelivery[],
    quiet: ReadonlyMap<string, number>,
  ): Promise<DeliveryCandidate | null> {
    for (let at = 0; at < items.length; at++) {
      const item = items[at];
      if (!item || item.delivery.grouped_into !== null) return null;
      const { delivery, alert } = item;
      if (await this.#skipIfOver(item)) continue;
      if (alert.phase === 'closes') {
        const end = await this.#recoveryCandidate(item, items[at + 1], quiet);
        if (end === 'relapsed') at += 1;
        if (end === 'waits') return null;
        if (typeof end === 'object') return end;
        continue;
      }
      if (delivery.due_at > this.#options.nowMs) {
        // Later deliveries may be sent before a muted or repeated one.
        if (delivery.pending_reason === 'muted' || delivery.pending_reason === 'repeat') continue;
        return null;
      }
      const until = quiet.get(delivery.id);
      if (until === undefined) return { ...item, thread: delivery.id, failureCount: 1 };
      await this.#muteUntil(item, until);
    }
    return null;
  }

  async #resolveMutes(): Promise<ReadonlyMap<string, number>> {
    const { resolveMutes, nowMs } = this.#options;
    const due = this.#pending.filter(
      ({ delivery }) =>
        delivery.due_at <= nowMs &&
        delivery.grouped_into === null &&
        delivery.attempts === 0 &&
        !isRequested({ delivery }),
    );
    const alerts = due.map(({ alert }) => parseAlertRow(alert));
    const until = await resolveMutes(this.#writer, alerts, nowMs);
    const found = new Map<string, number>();
    for (const [index, { delivery }] of due.entries()) {
      const alert = alerts[index];
      const end = alert && until.get(alert);
      if (end !== undefined && end > nowMs) found.set(delivery.id, end);
    }
    return found;
  }

  /** Skips repetitions of an alert that has ended, and alerts that ended while they were muted. */
  async #skipIfOver({ delivery, alert }: PendingAlertDelivery): Promise<boolean> {
    if (alert.phase !== 'opens' || alert.closed_at === null) return false;
    if (delivery.repetition > 0) await this.#closeDelivery(delivery, 'skipped', 'the alert has ended');
    else if (delivery.pending_reason === 'muted')
      await this.#closeDelivery(delivery, 'muted', 'the alert ended while it was muted');
    else return false;
    return true;
  }

  async #muteUntil({ delivery }: PendingAlertDelivery, untilMs: number): Promise<void> {
    const due_at = Math.min(untilMs, this.#options.nowMs + QUIET_RECHECK_MS);
    await updateAlertDeliveries(this.#writer, [delivery.id], { pending_reason: 'muted', due_at });
  }

  /** Decides about a recovery: returns the delivery to send, or why it is not sent or must wait. */
  async #recoveryCandidate(
    item: PendingAlertDelivery,
    following: PendingAlertDelivery | undefined,
    quiet: ReadonlyMap<string, number>,
  ): Promise<DeliveryCandidate | 'waits' | 'relapsed' | 'skipped'> {
    const { delivery, alert } = item;
    const { channelId, keepsIncidents, nowMs } = this.#options;
    const opening = await findOpeningAlertDelivery(this.#writer, channelId, alert);
    const relapse = opening?.state === 'skipped' ? opening.grouped_into : null;
    if (!opening || (opening.state !== 'sent' && relapse === null)) {
      await this.#closeDelivery(delivery, 'skipped', 'the alert was never sent to this channel');
      return 'skipped';
    }
    const thread = relapse ?? opening.grouped_into ?? opening.id;
    if (following && isRelapse(item, following)) {
      await this.#skipRelapse(item, following, thread);
      return 'relapsed';
    }
    const until = quiet.get(delivery.id);
    if (until !== undefined) await this.#muteUntil(item, until);
    if (until !== undefined || delivery.due_at > nowMs) return 'waits';
    const settlesAt = delivery.created_at + RECOVERY_DELAY_MS;
    if (isFirstTry(item) && alert.at - opening.opened_at < SHORT_FAILURE_MS && nowMs < settlesAt) {
      await updateAlertDeliveries(this.#writer, [delivery.id], {
        pending_reason: 'settling',
        due_at: settlesAt,
      });
      return 'waits';
    }
    if (keepsIncidents && (await hasOpenAlertInThread(this.#writer, channelId, thread))) {
      await this.#closeDelivery(delivery, 'skipped', 'other alerts in the same message are still open');
      return 'skipped';
    }
    const failureCount = 1 + (await countRepeatedFailuresInThread(this.#writer, channelId, thread, alert));
    return { ...item, thread, failureCount };
  }

  /** Skips the recovery and the new failure. The channel has already received that the subject fails. */
  async #skipRelapse(
    end: PendingAlertDelivery,
    relapse: PendingAlertDelivery,
    thread: string,
  ): Promise<void> {
    const { nowMs, createRepetitions } = this.#options;
    await recordAlertDeliveryOutcome(
      this.#writer,
      [end.delivery, relapse.delivery],
      { state: 'skipped', error: RELAPSE_REASON, pending_reason: null, grouped_into: thread },
      nowMs,
    );
    if (relapse.alert.closed_at === null)
      await insertAlertDeliveries(this.#writer, createRepetitions([relapse], nowMs));
  }

  #closeDelivery(
    delivery: PendingAlertDelivery['delivery'],
    state: 'muted' | 'skipped',
    error: string,
  ): Promise<void> {
    const change = { state, error, pending_reason: null };
    return recordAlertDeliveryOutcome(this.#writer, [delivery], change, this.#options.nowMs);
  }

  #canFold({ alert, delivery }: PendingAlertDelivery): boolean {
    if (delivery.attempts > 0 || isRequested({ delivery })) return false;
    if (alert.phase === 'closes') return !this.#options.keepsIncidents;
    return alert.phase === 'opens' || alert.event === 'monitor_never_beaten';
  }

  #canShareMessage(first: PendingAlertDelivery, other: PendingAlertDelivery): boolean {
    return (
      first.alert.phase === other.alert.phase &&
      (first.alert.phase !== 'info' || first.alert.event === other.alert.event) &&
      first.delivery.repetition > 0 === other.delivery.repetition > 0 &&
      isFirstTry(other) &&
      !isRequested(other)
    );
  }
}

function isRequested({ delivery }: Pick<PendingAlertDelivery, 'delivery'>): boolean {
  return delivery.pending_reason === 'requested';
}
