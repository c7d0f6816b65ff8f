import type { Clock, Timer } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import { RepeatedFailureLog } from '../core/repeated-failure-log.ts';
import {
  type BucketSpendChange,
  type BudgetSpendRow,
  listBudgetSpendSince,
} from '../store/spend/budget-spend.ts';
import type { Database } from '../store/store-interfaces.ts';

/** Interval for reading the spending of other processes. */
const REFRESH_INTERVAL_MS = 2_000;
/** Clocks of processes differ. Each read includes changes up to this long before the previous read. */
const CLOCK_SKEW_MS = 60_000;

/**
 * Caches each budget's spending from the database. Counters use the cached amount as their minimum
 * value. A counter that is empty after a restart or a flush of the shared store is thus initialized
 * without a database read during a request.
 */
export class SpendCache {
  readonly #database: Pick<Database, 'read' | 'isShared'>;
  readonly #clock: Clock;
  readonly #refreshFailure: RepeatedFailureLog;
  /** By organization and bucket. Two levels, because a joined name would be created for each request. */
  readonly #spent = new Map<string, Map<string, BudgetSpendRow>>();
  #readUpTo = 0;
  #timer: Timer | null = null;

  constructor(database: Pick<Database, 'read' | 'isShared'>, clock: Clock, log: Log) {
    this.#database = database;
    this.#clock = clock;
    this.#refreshFailure = new RepeatedFailureLog(log, clock, {
      failed:
        'could not read the spending of other processes; retrying; if the counters are unavailable or lost, budgets do not include their newest spending',
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

  /** Loads all spending, then polls for changes of other processes. */
  async open(): Promise<void> {
    await this.refresh();
    if (this.#database.isShared) this.#refreshLater();
  }

  close(): void {
    this.#timer?.cancel();
    this.#timer = null;
  }

  /** Reads the spending that other processes added since the last read. */
  async refresh(): Promise<void> {
    const now = this.#clock.now();
    for (const row of await listBudgetSpendSince(this.#database.read, this.#readUpTo - CLOCK_SKEW_MS, now))
      this.#put(row);
    this.#readUpTo = now;
    for (const buckets of this.#spent.values())
      for (const [bucket, { ends_at }] of buckets)
        if (ends_at !== 0 && ends_at < now - CLOCK_SKEW_MS) buckets.delete(bucket);
  }

  #refreshLater(): void {
    const again = () => {
      this.refresh()
        .then(
          () => this.#refreshFailure.succeed(),
          (error: unknown) => this.#refreshFailure.fail(error),
        )
        .finally(() => {
          if (this.#timer) this.#refreshLater();
        });
    };
    this.#timer = this.#clock.after(REFRESH_INTERVAL_MS, again);
  }

  #put(row: BudgetSpendRow): void {
    let buckets = this.#spent.get(row.org_id);
    if (!buckets) {
      buckets = new Map();
      this.#spent.set(row.org_id, buckets);
    }
    const known = buckets.get(row.bucket);
    if (!known || known.spent_nano_usd < row.spent_nano_usd) buckets.set(row.bucket, row);
  }
}
