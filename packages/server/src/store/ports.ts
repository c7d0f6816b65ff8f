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
  /** Whether several processes may use it, so that cached data can be outdated. */
  readonly isShared: boolean;
  /** Signals of changes to snapshots, from every process with this database. */
  readonly signals: SnapshotSignals;
  /** Read-only queries, which never wait for a writer. */
  readonly read: DatabaseReader;
  /**
   * Runs `work` in a write transaction. These run one at a time. Commits if it resolves, rolls back if it
   * rejects.
   */
  transaction<T>(work: (writer: DatabaseWriter) => Promise<T>): Promise<T>;
  /**
   * Same as `transaction`, but does not wait for transactions of other processes. `work` must lock the rows
   * that it changes, in the order of their ids. With SQLite, both are the same.
   */
  rowTransaction<T>(work: (writer: DatabaseWriter) => Promise<T>): Promise<T>;
  /** Resolves if the database responds, and rejects otherwise. For `/readyz`. */
  ping(): Promise<void>;
  /**
   * Inserts rows of the spool into `exchanges` and adds them to the rollups, in one transaction. Ignores
   * rows whose id exists. Waits for its turn among the transactions.
   */
  ingest(region: SpoolRegion): Promise<SpoolIngestResult>;
  /**
   * Deletes exchanges that began before `beforeMs` (PostgreSQL: complete days). Returns the number of rows.
   */
  expireExchanges(beforeMs: number): Promise<number>;
  close(): Promise<void>;
}

/**
 * Notifies processes that use the same database that their snapshot is outdated. The notification
 * arrives within 2 seconds of the commit.
 */
export interface SnapshotSignals {
  /** Sends a signal if the transaction commits. Call it in the transaction of the change. */
  announce(writer: DatabaseWriter): Promise<void>;
  /** Returns false if this process may have missed a recent change, because the database does not respond. */
  isUpToDate(): boolean;
  /** Calls `stale` after a change in any process, including this one. Several changes may cause one call. */
  onChange(stale: () => void): void;
}

/** The bytes `from` to `to` of a spool file. The database reads only the complete lines in them. */
export interface SpoolRegion {
  readonly path: string;
  readonly from: number;
  readonly to: number;
  /**
   * The file ends at `to`, so that text after the last line break is also a line, which may be incomplete.
   */
  readonly last: boolean;
}

/** The result of inserting the rows in a spool region. */
export interface SpoolIngestResult {
  /** Start of the next region. `from` if there was no complete line. */
  readonly next: number;
  /** Number of new rows. */
  readonly inserted: number;
  /** Number of rows that already existed. */
  readonly known: number;
  /** Lines that are invalid or that the table rejected. */
  readonly rejected: readonly string[];
  /** The last line of the file is incomplete because its process was killed. */
  readonly torn: boolean;
}

export type ExchangeRow = ExchangesTable;

/**
 * A destination for rows, usually exchange rows. Rows are on disk within 10 ms, and later in the
 * database. Never blocks.
 */
export interface RowSink<Row extends object = ExchangeRow> {
  append(row: Row): void;
  /** Number of rows on disk that are not in the database. */
  backlog(): number;
  /** Resolves when all appended rows are in the database. Rejects after `timeoutMs`. */
  flush(timeoutMs: number): Promise<void>;
  close(): Promise<void>;
}

/**
 * An exchange's claim on one counter. A `window` counter counts requests or tokens within 60
 * seconds. A `lease` counter counts exchanges in progress. A `spend` counter counts the nano-USD
 * spent in a period.
 */
export interface BucketClaim {
  readonly kind: 'window' | 'lease' | 'spend';
  /**
   * Unique in the organization. A name always has the same kind. Each period of a budget has a name of its
   * own.
   */
  readonly bucket: string;
  /** Integer amount. 1 for a lease. */
  readonly amount: number;
  readonly limit: number;
  /** False: counts but never refuses. */
  readonly enforced: boolean;
  /**
   * Also counted if only `spend` claims refuse, because a request counts even if the budget does not allow
   * it.
   */
  readonly persistent: boolean;
  /** `spend`: the minimum spending according to the database. Otherwise 0. */
  readonly minimumUsed: number;
  /** `spend`: when the bucket can be deleted, in milliseconds since the epoch. 0 means never. */
  readonly endsAt: number;
  /**
   * `lease`: how long a shared store keeps the slots of a process that does not renew them, in
   * milliseconds. Otherwise 0.
   */
  readonly ttlMs: number;
  /** During an outage of the shared store: the share of this process, no limit, or refusal. */
  readonly outageMode: 'local' | 'open' | 'closed';
}

/** A counter's level after a claim. */
export interface BucketLevel {
  /** Units in the bucket, including those of this claim. */
  readonly used: number;
  /** `window`: milliseconds until it is empty. Otherwise 0. */
  readonly resetMs: number;
}

/** A counter's current state. */
export interface BucketUsage extends BucketLevel {
  /** Units of `used` that running requests have reserved in a budget. 0 for a limit. */
  readonly reserved: number;
}

/** The result of `Counters.acquire`. */
export interface AcquireResult {
  /**
   * Index of the first claim that refused. Null if all were granted. Windows and leases are checked before
   * spend, and spent amounts before reserved ones.
   */
  readonly refusedIndex: number | null;
  /**
   * Milliseconds until every refusing `window` and `lease` has room. Exact for a window. An estimate for a
   * lease, from recent durations and at most until the lease of a silent process ends. The same estimate
   * for a `spend` whose room is only reserved. Null if waiting does not help.
   */
  readonly retryAfterMs: number | null;
  /** One per claim, in order. */
  readonly levels: readonly BucketLevel[];
  /** Amount taken per claim. 0 for claims that were not counted. */
  readonly amounts: readonly number[];
  /** Second of the store at which it was counted. Needed by `settle`. */
  readonly second: number;
  /** Counted only by this process, because the shared store is unavailable. Needed by `settle`. */
  readonly countedLocally: boolean;
  /** Second of this process's own count. Needed by `settle`. */
  readonly localSecond: number;
}

/** The final amounts for one `acquire`. */
export interface ReservationSettlement {
  readonly id: string;
  readonly second: number;
  readonly countedLocally: boolean;
  readonly localSecond: number;
  readonly claims: readonly BucketClaim[];
  /** The amounts that `acquire` took. */
  readonly amounts: readonly number[];
  /** The final amount of each claim. A lease is always released. */
  readonly actual: readonly number[];
}

/**
 * Counters that change together for one organization. `acquire` grants all claims or none, except
 * persistent ones. The counters are in memory for a single process, and in Redis for several
 * processes. Both implementations pass the same test suite. The in-memory implementation returns
 * synchronously.
 */
export interface Counters {
  /** Acquires all claims of the exchange `id`, or returns which one refuses. */
  acquire(orgId: string, id: string, claims: readonly BucketClaim[]): AcquireResult | Promise<AcquireResult>;
  /** Replaces the reserved amounts by the final ones, in the slot in which they were reserved. */
  settle(orgId: string, settlement: ReservationSettlement): void | Promise<void>;
  /** Atomically reserves more for an unsettled exchange, as far as there is room. */
  extend(
    orgId: string,
    extension: ReservationExtension,
  ): ReservationExtensionResult | Promise<ReservationExtensionResult>;
  /** The state of buckets, without a change. */
  peek(orgId: string, claims: readonly BucketClaim[]): Promise<readonly BucketUsage[]>;
  close(): Promise<void>;
}

/** A request to increase the `spend` reservations of one `acquire`. */
export interface ReservationExtension {
  /** Id of the exchange. */
  readonly id: string;
  /** Whether its `acquire` was counted only by this process. */
  readonly countedLocally: boolean;
  /** `spend` claims of the `acquire`. */
  readonly claims: readonly BucketClaim[];
  /** Amount that is already reserved in each. */
  readonly reserved: number;
  readonly amount: number;
}

/** The result of `Counters.extend`. */
export interface ReservationExtensionResult {
  /** Amount that was additionally reserved in each claim, from 0 to the requested amount. */
  readonly granted: number;
  /** Index of the claim with the least room. Null if the whole amount was granted. */
  readonly limitingIndex: number | null;
  /** Counted only by this process, because the shared store is unavailable. */
  readonly countedLocally: boolean;
}
