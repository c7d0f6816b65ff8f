import { enqueueAlerts } from '../alerts/alert.ts';
import type { Clock } from '../core/clock.ts';
import type { FatalError } from '../core/fatal-error.ts';
import type { Log } from '../core/log.ts';
import type { CoordinatorClient } from '../store/coordinator/coordinator-client.ts';
import type { SharedStoreObserver } from '../store/counters/observed-counters.ts';
import { type OpenCountersResult, openCounters } from '../store/counters/open-counters.ts';
import { type ReplicaRegistration, registerReplica } from '../store/replicas.ts';
import type { BudgetCharge } from '../store/spend/budget-charge.ts';
import { type BucketSpendChange, clearTotalBudgetExpiry } from '../store/spend/budget-spend.ts';
import { openSpendJournal, type SpendJournal } from '../store/spend/spend-journal.ts';
import type { Database, DatabaseWriter, LimitCounters } from '../store/store-interfaces.ts';
import { createBudgetPeriodChangeAlerts, createBudgetThresholdAlerts } from './budget-threshold-alerts.ts';
import { LimitAndBudgetEnforcer } from './limit-and-budget-enforcer.ts';
import { watchForSeparateCounters } from './separate-counters-warning.ts';
import type { LimitsAndBudgetsByOrg } from './snapshot-budgets.ts';
import { SpendCache } from './spend-cache.ts';

/** The settings and dependencies of `openLimitAndBudgetRuntime`. */
export interface LimitAndBudgetRuntimeOptions {
  readonly dataDir: string;
  readonly database: Database;
  /** `memory` or `redis://…`. */
  readonly sharedStoreUrl: string;
  /** The connection to the other processes of this server. Undefined if there are none. */
  readonly coordinator?: CoordinatorClient | undefined;
  /** Number of processes of this server, including this one. */
  readonly processCount: number;
  /** Maximum time that a request waits for the shared store. */
  readonly sharedTimeoutMs: number;
  /** Receives the durations of calls to the shared store. */
  readonly observeSharedStore: SharedStoreObserver;
  /**
   * Called if this process must end, because a newer release has migrated the database (`registerReplica`).
   */
  readonly onUnusable: (error: FatalError) => void;
  readonly clock: Clock;
  readonly log: Log;
}

/** The counters, spend journal and enforcer of this process. */
export interface LimitAndBudgetRuntime {
  readonly guard: LimitAndBudgetEnforcer;
  readonly counters: LimitCounters;
  /** Returns statistics of the shared store; null if none is configured. */
  readonly sharedStoreStats: OpenCountersResult['sharedStoreStats'];
  readonly sharedStoreIsLate: OpenCountersResult['isSharedStoreSlow'];
  /** Returns whether the shared store is available; `memory` if none is configured. */
  sharedStore(): 'ok' | 'unavailable' | 'memory';
  /** Loads the spending of changed budgets. Must complete before a request uses these rules. */
  prepareRules(rulesByOrg: LimitsAndBudgetsByOrg): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens the counters and the spend journal. Also counts spending that a previous process wrote to its
 * journal but not to the database. All of it is counted before the first request. `prepareRules` loads
 * the spending from the database.
 */
export async function openLimitAndBudgetRuntime(
  options: LimitAndBudgetRuntimeOptions,
): Promise<LimitAndBudgetRuntime> {
  const { dataDir, database, sharedStoreUrl, sharedTimeoutMs, clock, log } = options;
  const replicas = await registerReplica(database, clock, log, options.onUnusable);
  const spendCache = new SpendCache(database, clock, log);
  const {
    counters,
    sharedStoreStats: sharedStoreFigures,
    isSharedStoreSlow,
  } = await openCounters(sharedStoreUrl, {
    coordinator: options.coordinator,
    clock,
    log,
    replicaRank: () => replicas.getRank(),
    timeoutMs: sharedTimeoutMs,
    refreshSpend: () => spendCache.refresh(),
    observe: options.observeSharedStore,
  });
  const journal = await openSpendJournal({
    dataDir,
    database,
    clock,
    log,
    onSpent: async (writer, spent) => {
      await enqueueThresholdAlerts(writer, spent, clock.now());
      // Charges of requests that were admitted before their budget was changed to `total`.
      const rows = spent.map(({ orgId, bucket, expiresAt }) => ({
        org_id: orgId,
        bucket,
        ends_at: expiresAt,
      }));
      for (const group of spendCache.listExpiringTotals(rows)) await clearTotalBudgetExpiry(writer, group);
    },
    afterSpent: (spent) => publishStoredSpend(spent, spendCache, counters),
    onOrphan: (id, charges) => settleOrphan(counters, id, charges),
  });
  spendCache.open();
  const guard = new LimitAndBudgetEnforcer({ counters, journal, spendCache, clock });
  const sharedStore = () => {
    const figures = sharedStoreFigures();
    return figures === null ? 'memory' : figures.isUnavailable ? 'unavailable' : 'ok';
  };
  const mayBeSeparate = sharedStoreUrl === 'memory' && database.isShared;
  const stopWatching = mayBeSeparate ? watchForSeparateCounters({ ...options, replicas }) : null;
  const stop = () => {
    stopWatching?.();
    return closeParts({ counters, journal, book: spendCache, replicas });
  };
  return {
    guard,
    counters,
    sharedStoreStats: sharedStoreFigures,
    sharedStoreIsLate: isSharedStoreSlow,
    sharedStore,
    prepareRules: (rulesByOrg) => prepareRules(rulesByOrg, { spendCache, database, clock }),
    close: stop,
  };
}

function publishStoredSpend(
  spent: readonly BucketSpendChange[],
  spendCache: SpendCache,
  counters: LimitCounters,
): void {
  spendCache.record(spent);
  counters.recordStoredSpend(spent);
}

interface GuardrailsParts {
  readonly counters: LimitCounters;
  readonly journal: SpendJournal;
  readonly book: SpendCache;
  readonly replicas: ReplicaRegistration;
}

async function closeParts({ counters, journal, book: spendCache, replicas }: GuardrailsParts): Promise<void> {
  await journal.close();
  spendCache.close();
  await counters.close();
  await replicas.close();
}

async function prepareRules(
  rulesByOrg: LimitsAndBudgetsByOrg,
  {
    spendCache,
    database,
    clock,
  }: { readonly spendCache: SpendCache } & Pick<LimitAndBudgetRuntimeOptions, 'database' | 'clock'>,
): Promise<void> {
  const loaded = await spendCache.load(rulesByOrg);
  const totals = spendCache.listExpiringTotals(loaded.rows);
  const alerts = createBudgetPeriodChangeAlerts(loaded, clock.now());
  if (totals.size > 0 || alerts.length > 0)
    await database.transaction(async (writer) => {
      for (const group of totals) await clearTotalBudgetExpiry(writer, group);
      if (alerts.length > 0) await enqueueAlerts(writer, alerts);
    });
  spendCache.commitLoad(loaded);
}

/** Runs in the transaction that recorded the spending, so exactly one process sends each alert. */
async function enqueueThresholdAlerts(
  writer: DatabaseWriter,
  spent: readonly BucketSpendChange[],
  nowMs: number,
): Promise<void> {
  const alerts = createBudgetThresholdAlerts(spent, nowMs);
  if (alerts.length > 0) await enqueueAlerts(writer, alerts);
}

/**
 * Counts the reservations of a dead process as spent. Only shared counters need this, because counters in
 * memory ended with the process.
 */
function settleOrphan(counters: LimitCounters, id: string, charges: readonly BudgetCharge[]): void {
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
