import { enqueueAll } from '../alerts/alert.ts';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import { type OpenedCounters, openCounters } from '../store/counters/open-counters.ts';
import type { Counters, Database, Writer } from '../store/ports.ts';
import { joinReplicas, type Replicas } from '../store/replicas.ts';
import { openSpendJournal, type SpendJournal } from '../store/spend/journal.ts';
import type { Charge, Spent } from '../store/spend/spend.ts';
import { Guard } from './guard.ts';
import { SpendBook } from './spend-book.ts';
import { thresholdAlerts } from './thresholds.ts';

export interface GuardrailsOptions {
  readonly dataDir: string;
  readonly database: Database;
  /** `memory` or `redis://…`. */
  readonly shared: string;
  /** What a request may wait for it. */
  readonly sharedTimeoutMs: number;
  readonly clock: Clock;
  readonly log: Log;
}

/** What limits and budgets live on, and how it stops. */
export interface Guardrails {
  readonly guard: Guard;
  readonly counters: Counters;
  /** How the store that processes share serves; null when there is none. */
  readonly sharedStoreFigures: OpenedCounters['sharedStore'];
  readonly sharedStoreIsLate: OpenedCounters['sharedStoreIsLate'];
  /** Whether the store that processes share answers; `memory` when there is none. */
  sharedStore(): 'ok' | 'away' | 'memory';
  close(): Promise<void>;
}

/**
 * Opens counters, the journal of spending and what the database knows of it. What a process before this one
 * spent and could not tell is counted before the first request.
 */
export async function openGuardrails(options: GuardrailsOptions): Promise<Guardrails> {
  const { dataDir, database, shared, sharedTimeoutMs, clock, log } = options;
  const replicas = await joinReplicas(database, clock, log);
  const {
    counters,
    sharedStore: sharedStoreFigures,
    sharedStoreIsLate,
  } = await openCounters(shared, {
    clock,
    log,
    place: () => replicas.place(),
    timeoutMs: sharedTimeoutMs,
  });
  const book = new SpendBook(database, clock, log);
  const journal = await openSpendJournal({
    dataDir,
    database,
    clock,
    log,
    onSpent: (writer, spent) => tellThresholds(writer, spent, clock.now()),
    afterSpent: (spent) => book.note(spent),
    onOrphan: (id, charges) => settleOrphan(counters, id, charges),
  });
  await book.open();
  const guard = new Guard({ counters, journal, book, clock });
  const sharedStore = () => {
    const figures = sharedStoreFigures();
    return figures === null ? 'memory' : figures.away ? 'away' : 'ok';
  };
  const stop = () => close({ counters, journal, book, replicas });
  return { guard, counters, sharedStoreFigures, sharedStoreIsLate, sharedStore, close: stop };
}

interface Parts {
  readonly counters: Counters;
  readonly journal: SpendJournal;
  readonly book: SpendBook;
  readonly replicas: Replicas;
}

async function close({ counters, journal, book, replicas }: Parts): Promise<void> {
  await journal.close();
  book.close();
  await counters.close();
  await replicas.close();
}

/** In the transaction that crossed it: an alert for each share of a budget is told once, by whoever crosses it. */
async function tellThresholds(writer: Writer, spent: readonly Spent[], nowMs: number): Promise<void> {
  const alerts = thresholdAlerts(spent, nowMs);
  if (alerts.length > 0) await enqueueAll(writer, alerts);
}

/** What a dead process held is spent: its shared counters hear it, those in memory died with it. */
function settleOrphan(counters: Counters, id: string, charges: readonly Charge[]): void {
  for (const { orgId, bucket, endsAt, nanoUsd, limitNanoUsd } of charges) {
    const claim = {
      kind: 'spend',
      bucket,
      amount: nanoUsd,
      limit: limitNanoUsd,
      enforced: true,
      lasting: false,
      floor: 0,
      endsAt,
      lastsMs: 0,
      away: 'local',
    } as const;
    const worth = { claims: [claim], amounts: [nanoUsd], actual: [nanoUsd] };
    void counters.settle(orgId, { id, second: 0, away: false, ownSecond: 0, ...worth });
  }
}
