import {
  type AlertDeliveryRow,
  type AlertDeliveryUpdate,
  insertAlertDeliveries,
  listPendingAlertDeliveries,
  type PendingAlertDelivery,
  recordAlertDeliveryOutcome,
  regroupAlertDeliveries,
  updateAlertDeliveries,
} from '../store/alert-deliveries.ts';
import {
  countRepeatedFailuresInThread,
  findOpeningAlertDelivery,
  getAlertThreads,
  hasOpenAlertInThread,
  listAlertSendTimes,
} from '../store/alert-threads.ts';
import type { DatabaseWriter } from '../store/store-interfaces.ts';
import {
  type AlertMutedUntil,
  combineDeliveries,
  type DeliveryCandidate,
  isResendRequested,
  type PrepareAlertMessageOptions,
  type PreparedAlertMessage,
} from './prepared-alert-message.ts';
import { parseAlertRow } from './stored-alert.ts';
import { hasNoAttempts, isUnreportedReopening, UNREPORTED_REOPENING_REASON } from './unreported-reopening.ts';

/** Maximum number of pending messages that are read for one message. */
const MAX_PENDING_DELIVERIES = 1_000;
/** Number of failures within a minute that are grouped into one message. */
const STORM_SIZE = 5;
const STORM_MS = 60_000;
/** Interval for checking muted alerts. A mute that ends early takes effect within this time. */
const QUIET_RECHECK_MS = 60_000;

const ENDED_WHILE_MUTED = { state: 'muted', error: 'the alert ended while it was muted' } as const;

/** Duration of a failure below which its recovery is delayed, because the subject may be flapping. */
const SHORT_FAILURE_MS = 60_000;
/** Delay of such a recovery. It is not sent if the subject fails again within this time. */
const RECOVERY_DELAY_MS = 10_000;

/**
 * Chooses the next message to a channel; null if there is none. Records which alerts are not sent, and why.
 * Stores which alerts the message combines before it is sent, so that every attempt sends the same message
 * with the same id.
 */
export async function prepareNextAlertMessage(
  writer: DatabaseWriter,
  options: PrepareAlertMessageOptions,
): Promise<PreparedAlertMessage | null> {
  const { channelId, nowMs } = options;
  const pending = await listPendingAlertDeliveries(writer, channelId, nowMs, MAX_PENDING_DELIVERIES);
  const run = await new PendingDeliveries(writer, options, pending).next();
  const [first] = run;
  if (!first) return null;
  const members = pending.filter(({ delivery }) => delivery.grouped_into === first.delivery.id);
  if (members.length > 0) return combineDeliveries(first, members);
  if (first.delivery.attempts > 0 || isResendRequested(first)) return combineDeliveries(first, []);
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
      return prepareNextAlertMessage(writer, options);
    }
    return combineDeliveries(first, []);
  }
  const others = run.slice(1);
  const ids = others.map(({ delivery }) => delivery.id);
  await updateAlertDeliveries(writer, ids, { grouped_into: first.delivery.id });
  return combineDeliveries(first, others);
}

/**
 * The pending deliveries of a channel, by subject. Messages about one subject stay in order. Deliveries with
 * fewer attempts come first, so that a rejected message does not delay other subjects.
 */
class PendingDeliveries {
  readonly #writer: DatabaseWriter;
  readonly #options: PrepareAlertMessageOptions;
  readonly #pending: readonly PendingAlertDelivery[];
  /** The ids of deliveries that are delayed, by the time at which they are due again. */
  readonly #muted = new Map<number, string[]>();
  #closesAny = false;
  #threads: ReadonlyMap<string, string> | null = null;

  constructor(
    writer: DatabaseWriter,
    options: PrepareAlertMessageOptions,
    pending: readonly PendingAlertDelivery[],
  ) {
    this.#writer = writer;
    this.#options = options;
    this.#pending = pending;
  }

  /** Returns the next delivery, and others of the same phase that may be combined with it. */
  async next(): Promise<readonly DeliveryCandidate[]> {
    const run = await this.#collect(await this.#resolveMutes());
    for (const [due_at, ids] of this.#muted)
      await updateAlertDeliveries(this.#writer, ids, { pending_reason: 'muted', due_at });
    if (this.#closesAny) await regroupAlertDeliveries(this.#writer, this.#options.channelId);
    // Their mutes have ended, so they are sent even if the alerts end before an attempt succeeds.
    const sent = run.flatMap(({ delivery }) => (delivery.pending_reason === 'muted' ? [delivery.id] : []));
    await updateAlertDeliveries(this.#writer, sent, { pending_reason: null });
    return run;
  }

  async #collect(quiet: ReadonlyMap<string, AlertMutedUntil>): Promise<readonly DeliveryCandidate[]> {
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
    quiet: ReadonlyMap<string, AlertMutedUntil>,
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
      if (until === undefined) return { ...item, thread: await this.#findThread(delivery), failureCount: 1 };
      if (until === 'obsolete') await this.#closeDeliveries([delivery], ENDED_WHILE_MUTED);
      else this.#muteUntil(item, until);
    }
    return null;
  }

  /** Loads the threads of all pending deliveries at once, because many repetitions can be due together. */
  async #findThread({ id }: AlertDeliveryRow): Promise<string> {
    const deliveries = this.#pending.map(({ delivery }) => delivery);
    this.#threads ??= await getAlertThreads(this.#writer, this.#options.channelId, deliveries);
    return this.#threads.get(id) ?? id;
  }

  async #resolveMutes(): Promise<ReadonlyMap<string, AlertMutedUntil>> {
    const { resolveMutes, nowMs } = this.#options;
    const due = this.#pending.filter(
      ({ delivery }) =>
        delivery.due_at <= nowMs &&
        delivery.grouped_into === null &&
        delivery.attempts === 0 &&
        !isResendRequested({ delivery }),
    );
    const alerts = due.map(({ alert }) => parseAlertRow(alert));
    const until = await resolveMutes(this.#writer, alerts, nowMs);
    const found = new Map<string, AlertMutedUntil>();
    for (const [index, { delivery }] of due.entries()) {
      const alert = alerts[index];
      const end = alert && until.get(alert);
      // An alert that was not delayed is sent, like a failure that has just ended.
      const wasMuted = delivery.pending_reason === 'muted';
      if (end !== undefined && (end === 'obsolete' ? wasMuted : end > nowMs)) found.set(delivery.id, end);
    }
    return found;
  }

  /** Skips repetitions and requested retries of an ended alert, and alerts that ended while they were muted. */
  async #skipIfOver({ delivery, alert }: PendingAlertDelivery): Promise<boolean> {
    if (alert.phase !== 'opens' || alert.closed_at === null) return false;
    if (delivery.repetition > 0 || (this.#options.managesIncidents && isResendRequested({ delivery })))
      await this.#closeDeliveries([delivery], { state: 'skipped', error: 'the alert has ended' });
    else if (delivery.pending_reason === 'muted') await this.#closeDeliveries([delivery], ENDED_WHILE_MUTED);
    else return false;
    return true;
  }

  #muteUntil({ delivery }: PendingAlertDelivery, untilMs: number): void {
    const dueAt = Math.min(untilMs, this.#options.nowMs + QUIET_RECHECK_MS);
    const others = this.#muted.get(dueAt);
    if (others) others.push(delivery.id);
    else this.#muted.set(dueAt, [delivery.id]);
  }

  /** Decides about a recovery: returns the delivery to send, or why it is not sent or must wait. */
  async #recoveryCandidate(
    item: PendingAlertDelivery,
    following: PendingAlertDelivery | undefined,
    quiet: ReadonlyMap<string, AlertMutedUntil>,
  ): Promise<DeliveryCandidate | 'waits' | 'relapsed' | 'skipped'> {
    const { delivery, alert } = item;
    const { channelId, managesIncidents, nowMs } = this.#options;
    const opening = await findOpeningAlertDelivery(this.#writer, channelId, alert);
    const relapse = opening?.state === 'skipped' ? opening.grouped_into : null;
    if (!opening || (!opening.was_sent && relapse === null)) {
      await this.#closeDeliveries([delivery], {
        state: 'skipped',
        error: 'the alert about the failure was never sent to this channel',
      });
      return 'skipped';
    }
    const thread = relapse ?? opening.grouped_into ?? opening.id;
    if (following && isUnreportedReopening(item, following)) {
      await this.#skipRelapse(item, following, thread);
      return 'relapsed';
    }
    const until = quiet.get(delivery.id);
    if (typeof until === 'number') this.#muteUntil(item, until);
    if (until !== undefined || delivery.due_at > nowMs) return 'waits';
    const settlesAt = delivery.created_at + RECOVERY_DELAY_MS;
    if (hasNoAttempts(item) && alert.at - opening.opened_at < SHORT_FAILURE_MS && nowMs < settlesAt) {
      await updateAlertDeliveries(this.#writer, [delivery.id], {
        pending_reason: 'settling',
        due_at: settlesAt,
      });
      return 'waits';
    }
    if (managesIncidents && (await hasOpenAlertInThread(this.#writer, channelId, thread))) {
      await this.#closeDeliveries([delivery], {
        state: 'skipped',
        error: 'other alerts of the same incident are still open',
      });
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
    await this.#closeDeliveries([end.delivery, relapse.delivery], {
      state: 'skipped',
      error: UNREPORTED_REOPENING_REASON,
      grouped_into: thread,
    });
    if (relapse.alert.closed_at === null)
      await insertAlertDeliveries(this.#writer, createRepetitions([relapse], nowMs));
  }

  #closeDeliveries(
    deliveries: readonly AlertDeliveryRow[],
    change: Pick<AlertDeliveryUpdate, 'error' | 'grouped_into'> & { readonly state: 'muted' | 'skipped' },
  ): Promise<void> {
    this.#closesAny = true;
    const closed = { ...change, pending_reason: null };
    return recordAlertDeliveryOutcome(this.#writer, deliveries, closed, this.#options.nowMs);
  }

  #canFold({ alert, delivery }: PendingAlertDelivery): boolean {
    if (delivery.attempts > 0 || isResendRequested({ delivery })) return false;
    if (alert.phase === 'closes') return !this.#options.managesIncidents;
    return alert.phase === 'opens' || alert.event === 'monitor_never_beaten';
  }

  #canShareMessage(first: DeliveryCandidate, other: DeliveryCandidate): boolean {
    const isOtherIncident = this.#options.managesIncidents && first.thread !== other.thread;
    return (
      !(first.delivery.repetition > 0 && isOtherIncident) &&
      first.alert.phase === other.alert.phase &&
      (first.alert.phase !== 'info' || first.alert.event === other.alert.event) &&
      first.delivery.repetition > 0 === other.delivery.repetition > 0 &&
      hasNoAttempts(other) &&
      !isResendRequested(other)
    );
  }
}
