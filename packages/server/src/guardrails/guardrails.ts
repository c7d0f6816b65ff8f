import { enqueueAlerts } from '../alerts/alert.ts';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import { type OpenedCounters, openCounters } from '../store/counters/open-counters.ts';
import type { Counters, Database, DatabaseWriter } from '../store/ports.ts';
import { joinReplicas, type Replicas } from '../store/replicas.ts';
import type { BucketSpendChange, BudgetCharge } from '../store/spend/budget-spend.ts';
import { openSpendJournal, type SpendJournal } from '../store/spend/spend-journal.ts';
import { Guard } from './guard.ts';
import { SpendCache } from './spend-cache.ts';
import { createThresholdAlerts } from './thresholds.ts';

export interface GuardrailsOptions {
  readonly dataDir: string;
  readonly database: Database;
  /** `memory` or `redis://…`. */
  readonly sharedStoreUrl: string;
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
  readonly sharedStoreStats: OpenedCounters['sharedStoreStats'];
  readonly sharedStoreIsLate: OpenedCounters['isSharedStoreSlow'];
  /** Whether the store that processes share answers; `memory` when there is none. */
  sharedStore(): 'ok' | 'unavailable' | 'memory';
  close(): Promise<void>;
}

/**
 * Opens counters, the journal of spending and what the database knows of it. What a process before this one
 * spent and could not tell is counted before the first request.
 */
export async function openGuardrails(options: GuardrailsOptions): Promise<Guardrails> {
  const { dataDir, database, sharedStoreUrl, sharedTimeoutMs, clock, log } = options;
  const replicas = await joinReplicas(database, clock, log);
  const {
    counters,
    sharedStoreStats: sharedStoreFigures,
    isSharedStoreSlow,
  } = await openCounters(sharedStoreUrl, {
    clock,
    log,
    replicaRank: () => replicas.getRank(),
    timeoutMs: sharedTimeoutMs,
  });
  const spendCache = new SpendCache(database, clock, log);
  const journal = await openSpendJournal({
    dataDir,
    database,
    clock,
    log,
    onSpent: (writer, spent) => enqueueThresholdAlerts(writer, spent, clock.now()),
    afterSpent: (spent) => spendCache.record(spent),
    onOrphan: (id, charges) => settleOrphan(counters, id, charges),
  });
  await spendCache.open();
  const guard = new Guard({ counters, journal, spendCache, clock });
  const sharedStore = () => {
    const figures = sharedStoreFigures();
    return figures === null ? 'memory' : figures.isUnavailable ? 'unavailable' : 'ok';
  };
  const stop = () => closeParts({ counters, journal, book: spendCache, replicas });
  return {
    guard,
    counters,
    sharedStoreStats: sharedStoreFigures,
    sharedStoreIsLate: isSharedStoreSlow,
    sharedStore,
    close: stop,
  };
}

interface GuardrailsParts {
  readonly counters: Counters;
  readonly journal: SpendJournal;
  readonly book: SpendCache;
  readonly replicas: Replicas;
}

async function closeParts({ counters, journal, book: spendCache, replicas }: GuardrailsParts): Promise<void> {
  await journal.close();
  spendCache.close();
  await counters.close();
  await replicas.close();
}

/** In the transaction that crossed it: an alert for each share of a budget is told once, by whoever crosses it. */
async function enqueueThresholdAlerts(
  writer: DatabaseWriter,
  spent: readonly BucketSpendChange[],
  nowMs: number,
): Promise<void> {
  const alerts = createThresholdAlerts(spent, nowMs);
  if (alerts.length > 0) await enqueueAlerts(writer, alerts);
}

/** What a dead process held is spent: its shared counters hear it, those in memory died with it. */
function settleOrphan(counters: Counters, id: string, charges: readonly BudgetCharge[]): void {
  for (const { orgId, bucket, endsAt, nanoUsd, limitNanoUsd } of charges) {
    const claim = {
      kind: 'spend',
      bucket,
      amount: nanoUsd,
      limit: limitNanoUsd,
      enforced: true,
      persistent: false,
      minimumUsed: 0,
      endsAt,
      ttlMs: 0,
      outageMode: 'local',
    } as const;
    const worth = { claims: [claim], amounts: [nanoUsd], actual: [nanoUsd] };
    void counters.settle(orgId, { id, second: 0, countedLocally: false, localSecond: 0, ...worth });
  }
}
