import type { Kysely, Transaction } from 'kysely';
import type { DatabaseSchema, ExchangesTable } from './schema.ts';

/** Read access to the database. */
export type DatabaseReader = Pick<
  Kysely<DatabaseSchema>,
  'selectFrom' | 'withRecursive' | 'fn' | 'getExecutor'
>;
/** A write transaction. */
export type DatabaseWriter = Transaction<DatabaseSchema>;

/** A relational database. SQLite and PostgreSQL pass the same test suite. */
export interface Database {
  /** Whether several processes may use the database, so that cached data can be outdated. */
  readonly isShared: boolean;
  /** Whether processes on other machines may use the database. The database then has its own clock. */
  readonly isRemote: boolean;
  /** Notifies processes of changes to the snapshot. */
  readonly signals: SnapshotSignals;
  /** For read-only queries. They never wait for a writer. */
  readonly read: DatabaseReader;
  /**
   * Runs `work` in a write transaction. Commits if `work` resolves, and rolls back if it rejects. Write
   * transactions run one at a time, across all processes.
   */
  transaction<T>(work: (writer: DatabaseWriter) => Promise<T>): Promise<T>;
  /**
   * Runs `work` in a write transaction of the server itself. The transaction does not use up a turn of an
   * organization. With PostgreSQL, it does not wait for transactions of other processes, so `work` must lock the
   * rows that it changes, in the order of their ids. With SQLite, it runs in turn with other transactions.
   */
  rowTransaction<T>(work: (writer: DatabaseWriter) => Promise<T>): Promise<T>;
  /**
   * Resolves if the database responds and, as far as is known without a write, accepts writes. Otherwise rejects with a
   * `Fault` with the reason. Used for `/readyz`.
   */
  ping(): Promise<void>;
  /**
   * Inserts rows of the spool into `exchanges` and adds them to the rollups, in one transaction. Ignores rows
   * whose id already exists.
   */
  ingest(region: SpoolRegion): Promise<SpoolIngestResult>;
  /**
   * Deletes exchanges that began before `beforeMs`; with PostgreSQL, only complete days. Returns whether
   * there were any.
   */
  expireExchanges(beforeMs: number): Promise<boolean>;
  close(): Promise<void>;
}

/**
 * Notifies processes that use the same database that their snapshot is outdated. The notification
 * arrives within 2 seconds of the commit.
 */
export interface SnapshotSignals {
  /** Sends a signal if the transaction commits. Must be called in the transaction that makes the change. */
  announce(writer: DatabaseWriter): Promise<void>;
  /** Returns false if this process may have missed a recent change, because the database does not respond. */
  isUpToDate(): boolean;
  /**
   * Calls `stale` after a change in any process, including this one. Several changes may cause only one call.
   */
  onChange(stale: () => void): void;
}

/** The bytes `from` to `to` of a spool file. Floe inserts only complete lines, unless `last` is true. */
export interface SpoolRegion {
  readonly path: string;
  readonly from: number;
  readonly to: number;
  /**
   * Whether the file ends at `to`. Text after the last line break is then also a line, although it may be
   * incomplete.
   */
  readonly last: boolean;
}

/** The result of inserting the rows of a spool region into the database. */
export interface SpoolIngestResult {
  /** Start of the next region. Equal to `from` if the region contains no complete line. */
  readonly next: number;
  /** Number of new rows. */
  readonly inserted: number;
  /** Number of rows that already existed. */
  readonly known: number;
  /** Lines that are invalid or that the table rejected. */
  readonly rejected: readonly string[];
  /** Whether the last line of the file is incomplete, because the process that wrote the file was killed. */
  readonly torn: boolean;
}

export type ExchangeRow = ExchangesTable;

/**
 * A destination for rows, usually exchange rows. Rows are written to disk within 10 ms and inserted into the
 * database later. Adding a row never blocks.
 */
export interface RowSink<Row extends object = ExchangeRow> {
  append(row: Row): void;
  /** Number of rows on disk that are not in the database. */
  backlog(): number;
  /** Unix milliseconds before which all appended rows are in the database. 0 if this is not known yet. */
  completeUntil(): number;
  /** Resolves when all appended rows are on disk. */
  stored(): Promise<void>;
  /** Resolves when all appended rows are in the database. Rejects after `timeoutMs`. */
  flush(timeoutMs: number): Promise<void>;
  close(): Promise<void>;
}

/**
 * An amount that an exchange requests from one counter (bucket). A `window` counter counts requests or tokens
 * within 60 seconds. A `lease` counter counts exchanges in progress. A `spend` counter counts the nano-USD
 * spent in a period.
 */
export interface BucketClaim {
  readonly kind: 'window' | 'lease' | 'spend';
  /**
   * Name of the counter, which is unique in the organization. A name always has the same kind. Each period of
   * a budget has its own name.
   */
  readonly bucket: string;
  /** The requested amount, an integer. 1 for a lease. */
  readonly amount: number;
  readonly limit: number;
  /** Whether the claim is rejected if the limit would be exceeded. If false, the amount is only counted. */
  readonly enforced: boolean;
  /**
   * Whether the amount is counted even if a `spend` claim is rejected, because a rejected request still
   * counts as a request.
   */
  readonly persistent: boolean;
  /** For `spend`: the minimum amount in nano-USD that has been spent, according to the database. Otherwise 0. */
  readonly minimumUsed: number;
  /**
   * For `spend`: when the counter can be deleted, in Unix milliseconds; 0 for none. Not used for other
   * kinds.
   */
  readonly endsAt: number;
  /**
   * For `lease`: how long the shared store counts the exchanges of a process that does not renew them, in
   * milliseconds. Otherwise 0.
   */
  readonly ttlMs: number;
  /**
   * What applies while the shared store is unavailable: this process's share of the limit, no limit, or
   * rejection.
   */
  readonly outageMode: 'local' | 'open' | 'closed';
}

/** The amount in a counter after a claim. */
export interface BucketLevel {
  /** The amount in the counter, including the amount of this claim. */
  readonly used: number;
  /** For `window`: milliseconds until the counter is empty. Otherwise 0. */
  readonly resetMs: number;
}

/** The current usage of a bucket, which is the counter of one limit or budget. */
export interface BucketUsage extends BucketLevel {
  /** The amount in `used` that exchanges in progress have reserved in a budget. 0 for a limit. */
  readonly reserved: number;
}

/** The result of `LimitCounters.acquire`. */
export interface AcquireResult {
  /**
   * Index of the first claim that was rejected. Null if all were granted. Windows and leases are checked
   * before spend, and spent amounts before reserved ones.
   */
  readonly refusedIndex: number | null;
  /** Whether the claim was rejected because the organization has too many counters. */
  readonly isTableFull?: boolean;
  /**
   * Milliseconds until the rejected `window` and `lease` claims can be granted. Exact for a window. For a
   * lease, an estimate from recent durations, and at most until the lease of an unresponsive process ends.
   * The same estimate is used for a `spend` claim that was rejected only because of reservations. Null if
   * waiting does not help.
   */
  readonly retryAfterMs: number | null;
  /** The level of each counter, in the order of the claims. */
  readonly levels: readonly BucketLevel[];
  /** The amount that was counted for each claim. 0 for claims that were not counted. */
  readonly amounts: readonly number[];
  /** The second of the store's clock in which the amounts were counted. Required by `settle`. */
  readonly second: number;
  /**
   * Whether only this process counted the amounts, because the shared store is unavailable. Required by
   * `settle`.
   */
  readonly countedLocally: boolean;
  /** The second in which this process counted the amounts itself. Required by `settle`. */
  readonly localSecond: number;
}

/** The final amounts of the claims of one `LimitCounters.acquire` call. */
export interface ReservationSettlement {
  readonly id: string;
  readonly second: number;
  readonly countedLocally: boolean;
  readonly localSecond: number;
  readonly claims: readonly BucketClaim[];
  /** The amounts that `acquire` counted. */
  readonly amounts: readonly number[];
  /** The final amount of each claim. Leases are always released. */
  readonly actual: readonly number[];
}

/**
 * Counters of limits and budgets. `acquire` counts either all claims of an exchange or none. Exception: if a
 * `spend` claim is rejected, persistent claims are still counted. The counters are in memory (of the process,
 * or of the supervisor if the server has several processes) or in Redis. All implementations pass the same
 * test suite. The in-memory implementation returns synchronously.
 */
export interface LimitCounters {
  /** Counts all claims of the exchange `id`, or returns the claim that is rejected. */
  acquire(orgId: string, id: string, claims: readonly BucketClaim[]): AcquireResult | Promise<AcquireResult>;
  /** Replaces the reserved amounts with the final ones, in the second in which they were counted. */
  settle(orgId: string, settlement: ReservationSettlement): void | Promise<void>;
  /**
   * Atomically increases the reservations of an exchange that has not been settled, as far as its budgets
   * allow.
   */
  extend(
    orgId: string,
    extension: ReservationIncrease,
  ): ReservationIncreaseResult | Promise<ReservationIncreaseResult>;
  /** Returns the state of counters without changing it. */
  peek(orgId: string, claims: readonly BucketClaim[]): Promise<readonly BucketUsage[]>;
  /**
   * Records how much of the spending of counters the database has stored. A counter in memory can be removed when the
   * database has all of its spending.
   */
  recordStoredSpend(stored: readonly StoredBucketSpend[]): void;
  close(): Promise<void>;
}

/** The spending of a counter that the database has stored. */
export interface StoredBucketSpend {
  readonly orgId: string;
  readonly bucket: string;
  readonly afterNanoUsd: number;
}

/** A request to increase the `spend` reservations of an exchange. */
export interface ReservationIncrease {
  /** Id of the exchange. */
  readonly id: string;
  /** Whether only this process counted the claims of `acquire`. */
  readonly countedLocally: boolean;
  /** The `spend` claims of `acquire`. */
  readonly claims: readonly BucketClaim[];
  /** The amount that is already reserved for each claim. */
  readonly reserved: number;
  readonly amount: number;
}

/** The result of `LimitCounters.extend`. */
export interface ReservationIncreaseResult {
  /** The amount that was additionally reserved for each claim, from 0 to the requested amount. */
  readonly granted: number;
  /** Index of the claim with the smallest remaining amount. Null if the whole amount was granted. */
  readonly limitingIndex: number | null;
  /** Whether only this process counted the extension, because the shared store is unavailable. */
  readonly countedLocally: boolean;
}
