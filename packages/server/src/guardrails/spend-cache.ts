import type { Clock, Timer } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import { RepeatedFailureLog } from '../core/repeated-failure-log.ts';
import type { BudgetCounterGroup } from '../store/spend/budget-period-counters.ts';
import {
  type BucketSpendChange,
  type BudgetSpendRow,
  listBudgetSpendChangedSince,
  listBudgetSpendOfGroups,
} from '../store/spend/budget-spend.ts';
import type { Database } from '../store/store-interfaces.ts';
import { type LimitsAndBudgetsByOrg, SnapshotBudgets } from './snapshot-budgets.ts';

/** Interval for reading the spending of other processes. */
const REFRESH_INTERVAL_MS = 2_000;
/** Clocks of processes differ. Each read includes changes up to this long before the previous read. */
const CLOCK_SKEW_MS = 60_000;
/** Interval for removing expired counters from memory. */
const PRUNE_INTERVAL_MS = 60_000;

/** The budgets of a new snapshot, and the spending rows of those that are new or have a new period. */
export interface LoadedBudgets {
  readonly budgets: SnapshotBudgets;
  readonly rows: readonly BudgetSpendRow[];
}

/**
 * Caches how much was spent from each budget in its current period, according to the database. Counters use
 * the cached amount as their minimum value. A counter that is empty after a restart or a flush of the shared
 * store is thus initialized without a database read during a request.
 */
export class SpendCache {
  readonly #database: Pick<Database, 'read' | 'isShared'>;
  readonly #clock: Clock;
  readonly #refreshFailure: RepeatedFailureLog;
  /** By organization and bucket. Two levels, because a joined name would be created for each request. */
  readonly #spent = new Map<string, Map<string, BudgetSpendRow>>();
  /** The budgets of the snapshot in use. Null before the first one: all spending of this process is cached. */
  #current: SnapshotBudgets | null = null;
  /** The budgets of the snapshot that is being prepared. */
  #next: SnapshotBudgets | null = null;
  /** Organizations that may have counters that no budget uses. */
  readonly #orgsToPrune = new Set<string>();
  #readUpTo = 0;
  #pruneAt = 0;
  #timer: Timer | null = null;

  constructor(database: Pick<Database, 'read' | 'isShared'>, clock: Clock, log: Log) {
    this.#database = database;
    this.#clock = clock;
    this.#refreshFailure = new RepeatedFailureLog(log, clock, {
      failed:
        'could not read the spending of other processes; retrying; if the shared counters are unavailable or lost, budgets do not include the newest spending of other processes',
      recovered: 'spending of other processes is available again',
    });
  }

  /** Returns nano-USD; 0 for a bucket without spending. */
  spentNanoUsd(orgId: string, bucket: string): number {
    return this.#spent.get(orgId)?.get(bucket)?.spent_nano_usd ?? 0;
  }

  /** Adds the sums that the database returned for a batch of this process. */
  record(spent: readonly BucketSpendChange[]): void {
    for (const { orgId, bucket, expiresAt, afterNanoUsd } of spent)
      this.#put({ org_id: orgId, bucket, spent_nano_usd: afterNanoUsd, ends_at: expiresAt });
  }

  /** Starts to poll for changes by other processes. `load` reads earlier spending. */
  open(): void {
    this.#readUpTo = this.#clock.now();
    this.#pruneAt = this.#readUpTo + PRUNE_INTERVAL_MS;
    this.#refreshLater();
  }

  close(): void {
    this.#timer?.cancel();
    this.#timer = null;
  }

  /**
   * Loads the spending of the budgets that are new or have a new period. Must complete before a request uses
   * these rules. The counters of the earlier rules are kept until `commitLoad`.
   */
  async load(rulesByOrg: LimitsAndBudgetsByOrg): Promise<LoadedBudgets> {
    const next = new SnapshotBudgets(rulesByOrg, this.#current);
    this.#next = next;
    const groups = next.added.map(({ group }) => group);
    const rows = await listBudgetSpendOfGroups(this.#database.read, groups, this.#clock.now());
    for (const row of rows) this.#put(row);
    return { budgets: next, rows };
  }

  /** Ends the use of the earlier rules. Their counters are removed from memory within a minute. */
  commitLoad({ budgets }: LoadedBudgets): void {
    const before = this.#current;
    this.#current = budgets;
    if (this.#next === budgets) this.#next = null;
    const changed = before ? before.listOrgsWithRemovedCounters(budgets) : this.#spent.keys();
    for (const orgId of changed) this.#orgsToPrune.add(orgId);
  }

  /** Reads the spending that other processes added since the last read. */
  async refresh(): Promise<void> {
    const now = this.#clock.now();
    for (const row of await listBudgetSpendChangedSince(
      this.#database.read,
      this.#readUpTo - CLOCK_SKEW_MS,
      now,
    ))
      this.#put(row);
    this.#readUpTo = now;
  }

  #prune(): void {
    const now = this.#clock.now();
    if (now < this.#pruneAt) return;
    this.#pruneAt = now + PRUNE_INTERVAL_MS;
    for (const [orgId, buckets] of this.#spent) {
      const hasUnused = this.#orgsToPrune.delete(orgId);
      for (const [bucket, { ends_at }] of buckets) {
        const isExpired = ends_at !== 0 && ends_at < now - CLOCK_SKEW_MS;
        if (isExpired || (hasUnused && !this.#findGroup(orgId, bucket))) buckets.delete(bucket);
      }
      if (buckets.size === 0) this.#spent.delete(orgId);
    }
  }

  /** Returns the groups of `total` budgets with counters that are to expire. */
  listExpiringTotals(rows: Iterable<Pick<BudgetSpendRow, 'org_id' | 'bucket' | 'ends_at'>>) {
    const groups = new Set<BudgetCounterGroup>();
    for (const { org_id, bucket, ends_at } of rows) {
      const group = ends_at === 0 ? undefined : this.#findGroup(org_id, bucket);
      if (group?.kind === 'total') groups.add(group);
    }
    return groups;
  }

  #findGroup(orgId: string, bucket: string): BudgetCounterGroup | undefined {
    return this.#current?.find(orgId, bucket) ?? this.#next?.find(orgId, bucket);
  }

  #refreshLater(): void {
    const again = () => {
      this.#prune();
      const refreshing = this.#database.isShared ? this.refresh() : Promise.resolve();
      refreshing
        .then(
          () => this.#refreshFailure.succeed(),
          (error: unknown) => this.#refreshFailure.fail(error),
        )
        .finally(() => {
          if (this.#timer) this.#refreshLater();
        });
    };
    const intervalMs = this.#database.isShared ? REFRESH_INTERVAL_MS : PRUNE_INTERVAL_MS;
    this.#timer = this.#clock.after(intervalMs, again);
  }

  #put(stored: BudgetSpendRow): void {
    const group = this.#findGroup(stored.org_id, stored.bucket);
    if (this.#current !== null && group === undefined) return;
    const row = group?.kind === 'total' ? { ...stored, ends_at: 0 } : stored;
    let buckets = this.#spent.get(row.org_id);
    if (!buckets) {
      buckets = new Map();
      this.#spent.set(row.org_id, buckets);
    }
    const known = buckets.get(row.bucket);
    if (!known || known.spent_nano_usd <= row.spent_nano_usd) buckets.set(row.bucket, row);
  }
}
