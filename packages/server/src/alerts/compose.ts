import type { AlertRow } from '../store/alerts.ts';
import {
  changeDeliveries,
  insertDeliveries,
  type NewDeliveryRow,
  openingDelivery,
  openingsSentSince,
  type PendingDelivery,
  pendingDeliveries,
  relapses,
  settleDeliveries,
  threadLasts,
} from '../store/deliveries.ts';
import type { Reader, Writer } from '../store/ports.ts';
import type { Alert, Phase } from './alert.ts';
import type { Told } from './notice.ts';
import { alertOf } from './stored-alert.ts';

/**
 * Until when alerts are not to be sent: muted monitors, maintenance windows, quiet hours. Alerts that may be
 * sent are left out. What is over before it may be sent is never sent.
 */
export type Quiet = (
  reader: Reader,
  alerts: readonly Alert[],
  nowMs: number,
) => Promise<ReadonlyMap<Alert, number>>;

/** Messages of a channel looked at for one: a storm of more makes several. */
const LOOKED_AT = 1_000;
/** So many failures within a minute are one message. */
const STORM = 5;
const STORM_MS = 60_000;
/** Quiet that ends early is noticed within a minute. */
const QUIET_RECHECK_MS = 60_000;

/** A failure shorter than this may be one of many. */
const SHORT_MS = 60_000;
/** The end of such a failure is told when nothing failed again for so long. */
const SETTLING_MS = 10_000;

/** The next message of a channel: the deliveries it stands for, and what it says. */
export interface Composed {
  /** The first is the one whose id the message carries. */
  readonly deliveries: readonly [PendingDelivery, ...PendingDelivery[]];
  readonly told: Told;
}

interface Candidate extends PendingDelivery {
  readonly thread: string;
  readonly failureCount: number;
}

export interface ComposeOptions {
  readonly channelId: string;
  /** The channel keeps incidents (`ChannelSheet.incidents`). */
  readonly incidents: boolean;
  readonly nowMs: number;
  readonly quiet: Quiet;
  /** What is to be told again while it lasts. */
  readonly repeat: (deliveries: readonly PendingDelivery[], nowMs: number) => readonly NewDeliveryRow[];
}

/**
 * Decides what a channel is told next, and writes down what it is not told, and why. Which deliveries share a
 * message is written before it is sent: a second try, by any process, is the same message with the same id.
 */
export async function compose(writer: Writer, options: ComposeOptions): Promise<Composed | null> {
  const pending = await pendingDeliveries(writer, options.channelId, options.nowMs, LOOKED_AT);
  const run = await new Queue(writer, options, pending).next();
  const [first] = run;
  if (!first) return null;
  const members = pending.filter(({ delivery }) => delivery.folded_into === first.delivery.id);
  if (members.length > 0) return message(first, members);
  if (first.delivery.attempts > 0) return message(first, []);
  const opens = first.alert.phase === 'opens' && first.delivery.repetition === 0;
  const gathered = run.some(({ delivery }) => delivery.held === 'folding');
  if (run.length < STORM && !gathered) {
    const sent = opens
      ? await openingsSentSince(writer, options.channelId, options.nowMs - STORM_MS, STORM)
      : [];
    const [oldest] = sent;
    if (oldest !== undefined && sent.length >= STORM - 1) {
      const ids = run.map(({ delivery }) => delivery.id);
      await changeDeliveries(writer, ids, { held: 'folding', due_at: oldest + STORM_MS });
      return compose(writer, options);
    }
    return message(first, []);
  }
  const others = run.slice(1);
  await changeDeliveries(
    writer,
    others.map(({ delivery }) => delivery.id),
    { folded_into: first.delivery.id },
  );
  return message(first, others);
}

function message(first: Candidate, others: readonly PendingDelivery[]): Composed {
  const told: Told = {
    id: first.delivery.id,
    thread: first.thread,
    phase: phaseOfRow(first.alert),
    repetition: first.delivery.repetition,
    failureCount: others.length === 0 ? first.failureCount : 1,
    alerts: [alertOf(first.alert), ...others.map(({ alert }) => alertOf(alert))],
  };
  return { deliveries: [first, ...others], told };
}

function phaseOfRow({ phase }: AlertRow): Phase {
  return phase === 'opens' || phase === 'closes' ? phase : 'tells';
}

const isFirstTry = ({ delivery }: PendingDelivery) => delivery.attempts === 0;

/**
 * What is owed, by subject: messages of one subject never overtake one another, and no subject waits for another one.
 * What was never tried goes first, then what was tried least: a message that is refused holds up nothing.
 */
class Queue {
  readonly #writer: Writer;
  readonly #options: ComposeOptions;
  readonly #pending: readonly PendingDelivery[];

  constructor(writer: Writer, options: ComposeOptions, pending: readonly PendingDelivery[]) {
    this.#writer = writer;
    this.#options = options;
    this.#pending = pending;
  }

  /** The delivery that is sent next, and those of the same sort that may share its message. */
  async next(): Promise<readonly Candidate[]> {
    const quiet = await this.#quietOf();
    const run: Candidate[] = [];
    for (const items of this.#bySubject()) {
      const candidate = await this.#firstOf(items, quiet);
      if (!candidate) continue;
      const [first] = run;
      if (!first || this.#shares(first, candidate)) run.push(candidate);
      if (run[0] && !this.#folds(run[0])) return run;
    }
    return run;
  }

  /** What is owed about each subject, in order. */
  #bySubject(): PendingDelivery[][] {
    const subjects = Map.groupBy(
      this.#pending,
      ({ alert }) => `${alert.subject_kind} ${alert.subject_id}`,
    ).values();
    const attempts = ([first]: readonly PendingDelivery[]) => first?.delivery.attempts ?? 0;
    return [...subjects].sort((one, other) => attempts(one) - attempts(other));
  }

  /** What may be sent now about one subject; null while something earlier has to go first. */
  async #firstOf(
    items: readonly PendingDelivery[],
    quiet: ReadonlyMap<string, number>,
  ): Promise<Candidate | null> {
    for (let at = 0; at < items.length; at++) {
      const item = items[at];
      if (!item || item.delivery.folded_into !== null) return null;
      const { delivery, alert } = item;
      if (await this.#isOver(item)) continue;
      if (alert.phase === 'closes') {
        const end = await this.#endOf(item, items[at + 1], quiet);
        if (end === 'relapsed') at += 1;
        if (end === 'waits') return null;
        if (typeof end === 'object') return end;
        continue;
      }
      if (delivery.due_at > this.#options.nowMs) {
        // What is muted or told again may be overtaken by what follows it.
        if (delivery.held === 'muted' || delivery.held === 'repeating') continue;
        return null;
      }
      const until = quiet.get(delivery.id);
      if (until === undefined) return { ...item, thread: delivery.id, failureCount: 1 };
      await this.#hold(item, until);
    }
    return null;
  }

  async #quietOf(): Promise<ReadonlyMap<string, number>> {
    const { quiet, nowMs } = this.#options;
    const due = this.#pending.filter(
      ({ delivery }) => delivery.due_at <= nowMs && delivery.folded_into === null && delivery.attempts === 0,
    );
    const alerts = due.map(({ alert }) => alertOf(alert));
    const until = await quiet(this.#writer, alerts, nowMs);
    const found = new Map<string, number>();
    for (const [index, { delivery }] of due.entries()) {
      const alert = alerts[index];
      const end = alert && until.get(alert);
      if (end !== undefined && end > nowMs) found.set(delivery.id, end);
    }
    return found;
  }

  /** What is not worth a message any more: repetitions of what ended, and what ended while it was muted. */
  async #isOver({ delivery, alert }: PendingDelivery): Promise<boolean> {
    if (alert.phase !== 'opens' || alert.closed_at === null) return false;
    if (delivery.repetition > 0) await this.#settle(delivery, 'skipped', 'it is over');
    else if (delivery.held === 'muted')
      await this.#settle(delivery, 'muted', 'it was over before the mute ended');
    else return false;
    return true;
  }

  async #hold({ delivery }: PendingDelivery, untilMs: number): Promise<void> {
    const due_at = Math.min(untilMs, this.#options.nowMs + QUIET_RECHECK_MS);
    await changeDeliveries(this.#writer, [delivery.id], { held: 'muted', due_at });
  }

  /** The message that says that something is over; or why there is none, or not yet. */
  async #endOf(
    item: PendingDelivery,
    following: PendingDelivery | undefined,
    quiet: ReadonlyMap<string, number>,
  ): Promise<Candidate | 'waits' | 'relapsed' | 'skipped'> {
    const { delivery, alert } = item;
    const { channelId, incidents, nowMs } = this.#options;
    const opening = await openingDelivery(this.#writer, channelId, alert);
    const relapse = opening?.state === 'skipped' ? opening.folded_into : null;
    if (!opening || (opening.state !== 'sent' && relapse === null)) {
      await this.#settle(delivery, 'skipped', 'this channel was never told that it began');
      return 'skipped';
    }
    const thread = relapse ?? opening.folded_into ?? opening.id;
    if (following && isRelapse(item, following)) {
      await this.#skipRelapse(item, following, thread);
      return 'relapsed';
    }
    const until = quiet.get(delivery.id);
    if (until !== undefined) await this.#hold(item, until);
    if (until !== undefined || delivery.due_at > nowMs) return 'waits';
    const settlesAt = delivery.created_at + SETTLING_MS;
    if (isFirstTry(item) && alert.at - opening.opened_at < SHORT_MS && nowMs < settlesAt) {
      await changeDeliveries(this.#writer, [delivery.id], { held: 'settling', due_at: settlesAt });
      return 'waits';
    }
    if (incidents && (await threadLasts(this.#writer, channelId, thread))) {
      await this.#settle(delivery, 'skipped', 'others of the same message still last');
      return 'skipped';
    }
    const failureCount = 1 + (await relapses(this.#writer, channelId, thread, alert));
    return { ...item, thread, failureCount };
  }

  /** It failed again before its end was told: whoever was told that it fails knows what is true. */
  async #skipRelapse(end: PendingDelivery, relapse: PendingDelivery, thread: string): Promise<void> {
    const { nowMs, repeat } = this.#options;
    await settleDeliveries(
      this.#writer,
      [end.delivery, relapse.delivery],
      { state: 'skipped', error: RELAPSED, held: null, folded_into: thread },
      nowMs,
    );
    if (relapse.alert.closed_at === null) await insertDeliveries(this.#writer, repeat([relapse], nowMs));
  }

  #settle(delivery: PendingDelivery['delivery'], state: 'muted' | 'skipped', error: string): Promise<void> {
    return settleDeliveries(this.#writer, [delivery], { state, error, held: null }, this.#options.nowMs);
  }

  #folds({ alert, delivery }: PendingDelivery): boolean {
    if (delivery.attempts > 0) return false;
    return alert.phase === 'opens' || (alert.phase === 'closes' && !this.#options.incidents);
  }

  #shares(first: PendingDelivery, other: PendingDelivery): boolean {
    return (
      first.alert.phase === other.alert.phase &&
      first.delivery.repetition > 0 === other.delivery.repetition > 0 &&
      isFirstTry(other)
    );
  }
}

const RELAPSED = 'it began again before its end was told';

/** An end that was not tried yet, and a beginning right after it. */
function isRelapse(end: PendingDelivery, following: PendingDelivery): boolean {
  return (
    isFirstTry(end) &&
    isFirstTry(following) &&
    following.alert.phase === 'opens' &&
    following.delivery.repetition === 0 &&
    following.delivery.folded_into === null
  );
}
