import type { AlertRow } from '../store/alerts.ts';
import {
  changeDeliveries,
  openingDelivery,
  openingsSentSince,
  type PendingDelivery,
  pendingDeliveries,
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

/** The next message of a channel: the deliveries it stands for, and what it says. */
export interface Composed {
  /** The first is the one whose id the message carries. */
  readonly deliveries: readonly [PendingDelivery, ...PendingDelivery[]];
  readonly told: Told;
}

interface Candidate extends PendingDelivery {
  readonly thread: string;
}

export interface ComposeOptions {
  readonly channelId: string;
  /** The channel keeps incidents (`ChannelSheet.incidents`). */
  readonly incidents: boolean;
  readonly nowMs: number;
  readonly quiet: Quiet;
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
    alerts: [alertOf(first.alert), ...others.map(({ alert }) => alertOf(alert))],
  };
  return { deliveries: [first, ...others], told };
}

function phaseOfRow({ phase }: AlertRow): Phase {
  return phase === 'opens' || phase === 'closes' ? phase : 'tells';
}

/** Walks what is pending in order; messages of one subject never overtake one another. */
class Queue {
  readonly #writer: Writer;
  readonly #options: ComposeOptions;
  readonly #pending: readonly PendingDelivery[];
  readonly #blocked = new Set<string>();

  constructor(writer: Writer, options: ComposeOptions, pending: readonly PendingDelivery[]) {
    this.#writer = writer;
    this.#options = options;
    this.#pending = pending;
  }

  /** The first delivery that may be sent now, and those of the same sort that may share its message. */
  async next(): Promise<readonly Candidate[]> {
    const quiet = await this.#quietOf();
    const run: Candidate[] = [];
    for (const item of this.#pending) {
      const { delivery, alert } = item;
      const subject = `${alert.subject_kind} ${alert.subject_id}`;
      if (delivery.folded_into !== null) this.#blocked.add(subject);
      if (this.#blocked.has(subject) || (await this.#isOver(item))) continue;
      if (this.#waits(item, subject)) continue;
      const until = quiet.get(delivery.id);
      if (until !== undefined) {
        await this.#hold(item, until);
        if (alert.phase === 'closes') this.#blocked.add(subject);
        continue;
      }
      const thread = alert.phase === 'closes' ? await this.#threadEndedBy(item) : delivery.id;
      if (thread === null) continue;
      const [first] = run;
      if (!first || this.#shares(first, item)) run.push({ ...item, thread });
      this.#blocked.add(subject);
      if (run[0] && !this.#folds(run[0])) return run;
    }
    return run;
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

  #waits({ delivery }: PendingDelivery, subject: string): boolean {
    if (delivery.due_at <= this.#options.nowMs) return false;
    if (delivery.held === 'folding') this.#blocked.add(subject);
    return true;
  }

  async #hold({ delivery }: PendingDelivery, untilMs: number): Promise<void> {
    const due_at = Math.min(untilMs, this.#options.nowMs + QUIET_RECHECK_MS);
    await changeDeliveries(this.#writer, [delivery.id], { held: 'muted', due_at });
  }

  /** The message that told of the trouble this one ends; null when there is none, and nothing to tell. */
  async #threadEndedBy({ delivery, alert }: PendingDelivery): Promise<string | null> {
    const { channelId, incidents } = this.#options;
    const opening = await openingDelivery(this.#writer, channelId, alert);
    if (opening?.state !== 'sent') {
      await this.#settle(delivery, 'skipped', 'this channel was never told that it began');
      return null;
    }
    const thread = opening.folded_into ?? opening.id;
    if (incidents && (await threadLasts(this.#writer, channelId, thread))) {
      await this.#settle(delivery, 'skipped', 'others of the same message still last');
      return null;
    }
    return thread;
  }

  #settle(delivery: PendingDelivery['delivery'], state: 'muted' | 'skipped', error: string): Promise<void> {
    return settleDeliveries(this.#writer, [delivery], { state, error, held: null }, this.#options.nowMs);
  }

  #folds({ alert }: PendingDelivery): boolean {
    return alert.phase === 'opens' || (alert.phase === 'closes' && !this.#options.incidents);
  }

  #shares(first: PendingDelivery, other: PendingDelivery): boolean {
    return (
      first.alert.phase === other.alert.phase &&
      first.delivery.repetition > 0 === other.delivery.repetition > 0 &&
      other.delivery.attempts === 0
    );
  }
}
