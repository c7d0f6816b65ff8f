import type { Kysely, Transaction } from 'kysely';
import type { ExchangesTable, Schema } from './schema.ts';

export type DatabaseReader = Pick<Kysely<Schema>, 'selectFrom' | 'withRecursive' | 'fn' | 'getExecutor'>;
export type DatabaseWriter = Transaction<Schema>;

/** One relational store. SQLite and PostgreSQL pass the same suite. */
export interface Database {
  /** Several processes may use it at once: what one knows another may have changed. */
  readonly isShared: boolean;
  /** Word of changes to what snapshots hold, from every process on this store. */
  readonly signals: SnapshotSignals;
  /** Queries that change nothing; they never wait for a writer. */
  readonly read: DatabaseReader;
  /** Runs `work` in one serialised write transaction; commits when it resolves, rolls back when it throws. */
  transaction<T>(work: (writer: DatabaseWriter) => Promise<T>): Promise<T>;
  /**
   * As `transaction`, but it does not wait for those of other processes: `work` locks the rows it changes, in the
   * order of their ids. SQLite has one process and one writer, where the two are the same.
   */
  rowTransaction<T>(work: (writer: DatabaseWriter) => Promise<T>): Promise<T>;
  /** Resolves when the store answers; rejects when it does not. For `/readyz`. */
  ping(): Promise<void>;
  /**
   * Takes rows of the spool into `exchanges` and counts them in the rollups: one transaction, and a row
   * whose id is there already changes nothing. Waits its turn among the transactions.
   */
  ingest(region: SpoolRegion): Promise<IngestResult>;
  /** Removes exchanges made before `beforeMs` (PostgreSQL: the days that are over by then); returns how many. */
  expireExchanges(beforeMs: number): Promise<number>;
  close(): Promise<void>;
}

/** How processes on one store learn that a snapshot is stale, within 2 seconds of the commit. */
export interface SnapshotSignals {
  /** Belongs in the transaction of a change: it is told when, and only if, that commits. */
  announce(writer: DatabaseWriter): Promise<void>;
  /** False while a change of the last moments could be unknown here, because the store cannot be asked. */
  isUpToDate(): boolean;
  /** Calls `stale` after a change that any process announced, this one too; once for several at once. */
  onChange(stale: () => void): void;
}

/** Bytes `from` to `to` of a spool file; the database takes the whole lines among them. */
export interface SpoolRegion {
  readonly path: string;
  readonly from: number;
  readonly to: number;
  /** Nothing follows `to`: what stands after the last line break is a line too, or a torn one. */
  readonly last: boolean;
}

export interface IngestResult {
  /** Where the next region starts; `from` when there was no whole line. */
  readonly next: number;
  /** Rows new to the database. */
  readonly inserted: number;
  /** Rows the database had already. */
  readonly known: number;
  /** Lines that are no row, or that the table refuses. */
  readonly rejected: readonly string[];
  /** The file's last line was cut off, as a dying process leaves it. */
  readonly torn: boolean;
}

export type ExchangeRow = ExchangesTable;

/** Where rows go, mostly of exchanges: on disk within 10 ms, in the database when it is there. Never blocks. */
export interface RowSink<Row extends object = ExchangeRow> {
  append(row: Row): void;
  /** Rows on disk that the database has not taken yet. */
  backlog(): number;
  /** Resolves when everything appended so far is in the database, or rejects after `timeoutMs`. */
  flush(timeoutMs: number): Promise<void>;
  close(): Promise<void>;
}

/**
 * One bucket that an exchange takes from. `window` counts what came in any 60 seconds (requests, tokens),
 * `lease` what goes on at this moment, `spend` what was spent in a period (nano-USD).
 */
export interface BucketClaim {
  readonly kind: 'window' | 'lease' | 'spend';
  /** Unique among the org's buckets; one name is one kind for ever. A period's spend has a name of its own. */
  readonly bucket: string;
  /** Whole units to take; 1 for a lease. */
  readonly amount: number;
  readonly limit: number;
  /** False: counts and never refuses. */
  readonly enforced: boolean;
  /** Taken also when only `spend` claims refuse: a request is a request, whether or not it can be paid for. */
  readonly persistent: boolean;
  /** `spend`: at least so much was spent, says the database; 0 otherwise. */
  readonly minimumUsed: number;
  /** `spend`: milliseconds since the epoch after which nobody asks for it; 0 keeps it. */
  readonly endsAt: number;
  /** `lease`: how long a shared store keeps the slots of a process that no longer renews them, in ms; 0 otherwise. */
  readonly ttlMs: number;
  /** While the shared store is away: this process' share of the limit, no limit, or refusal. */
  readonly outageMode: 'local' | 'open' | 'closed';
}

export interface BucketLevel {
  /** Units in the bucket, what was taken now included. */
  readonly used: number;
  /** `window`: milliseconds until it is empty again; 0 otherwise. */
  readonly resetMs: number;
}

/** A bucket that is looked at. */
export interface BucketUsage extends BucketLevel {
  /** Of `used`, what requests under way have reserved of a budget; 0 of a limit. */
  readonly reserved: number;
}

export interface AcquireResult {
  /** Index of the first claim that refused; null when all were granted. Rates are looked at before spend, and what is spent before what is reserved. */
  readonly refusedIndex: number | null;
  /**
   * Milliseconds until every refusing `window` and `lease` has room: exact for a window, an estimate for a lease (by
   * how long its slots were held recently; at most until the lease of a silent process ends). Of a `spend` that has
   * room which is only reserved, the same estimate; null for one that is spent, or when waiting is not what helps.
   */
  readonly retryAfterMs: number | null;
  /** One for each claim, in their order. */
  readonly levels: readonly BucketLevel[];
  /** What was taken of each claim; 0 for those that were not. */
  readonly amounts: readonly number[];
  /** The store's second in which it was taken; `settle` wants it back. */
  readonly second: number;
  /** Counted by this process alone, for the shared store is away; `settle` wants it back. */
  readonly countedLocally: boolean;
  /** The second of this process' own count of it; `settle` wants it back. */
  readonly localSecond: number;
}

/** The end of what one `take` reserved. */
export interface ReservationSettlement {
  readonly id: string;
  readonly second: number;
  readonly countedLocally: boolean;
  readonly localSecond: number;
  readonly claims: readonly BucketClaim[];
  /** What `take` took of each. */
  readonly amounts: readonly number[];
  /** What each is worth in the end; a lease is always given back. */
  readonly actual: readonly number[];
}

/**
 * Buckets of an org, changed together: all claims of a `take` or none (but the `lasting` ones). In memory
 * for one process, in Redis for several; both pass the same suite. Memory answers at once.
 */
export interface Counters {
  /** Takes every claim for the exchange `id`, or says which refuses. */
  acquire(orgId: string, id: string, claims: readonly BucketClaim[]): AcquireResult | Promise<AcquireResult>;
  /** Puts what it was in the end in place of what was reserved, in the slot it was reserved in. */
  settle(orgId: string, settlement: ReservationSettlement): void | Promise<void>;
  /** Reserves more for an exchange that is not settled yet, in one atomic step: as much as there is room for. */
  extend(
    orgId: string,
    extension: ReservationExtension,
  ): ReservationExtensionResult | Promise<ReservationExtensionResult>;
  /** What the buckets hold, without taking anything. */
  peek(orgId: string, claims: readonly BucketClaim[]): Promise<readonly BucketUsage[]>;
  close(): Promise<void>;
}

/** More of what one `take` reserved of its `spend` claims. */
export interface ReservationExtension {
  /** The exchange. */
  readonly id: string;
  /** Its `take` was counted by this process alone. */
  readonly countedLocally: boolean;
  /** `spend` claims of that `take`. */
  readonly claims: readonly BucketClaim[];
  /** What is reserved of each by now. */
  readonly reserved: number;
  readonly amount: number;
}

export interface ReservationExtensionResult {
  /** What was reserved now, of every claim the same: from 0 to the amount asked for. */
  readonly granted: number;
  /** Index of the claim with the least room; null when all was granted. */
  readonly limitingIndex: number | null;
  /** Counted by this process alone, for the shared store is away. */
  readonly countedLocally: boolean;
}
