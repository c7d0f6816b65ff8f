import type { UneventfulBeatParameters } from '../monitoring/uneventful-beats.ts';
import type { SpoolIngestResult, SpoolRegion } from '../store-interfaces.ts';

/**
 * The values that SQLite accepts and returns. `node:sqlite` does not accept booleans, dates or `undefined`.
 */
export type SqliteValue = string | number | bigint | null | Uint8Array;

/**
 * The requests that the main thread sends to a worker. A worker responds to each request exactly
 * once, in order.
 */
export type SqliteWorkerRequest =
  | { kind: 'open'; path: string; role: SqliteWorkerRole }
  | { kind: 'query'; sql: string; parameters: readonly SqliteValue[] }
  | { kind: 'begin' | 'commit' | 'rollback' | 'ping' | 'close' }
  | { kind: 'ingest'; region: SpoolRegion }
  | { kind: 'beats'; beats: readonly UneventfulBeatParameters[] }
  | { kind: 'copy'; to: string };

/** The role of a worker thread: one thread writes, the other one reads. */
export type SqliteWorkerRole = 'writer' | 'reader';

/** The result of a worker request. */
export interface SqliteWorkerResult {
  /** Rows of a query that returns rows. Structured cloning gives them the ordinary prototype. */
  readonly rows: readonly object[];
  readonly changes: number;
  readonly ingested: SpoolIngestResult | null;
  /** Whether each element of a request to write beats was written. Null for all other requests. */
  readonly kept: readonly boolean[] | null;
}

/** The error of a worker request that failed. */
export interface SqliteWorkerFailure {
  readonly message: string;
  /** SQLite's extended result code. Null for other errors. */
  readonly code: number | null;
}

/** A worker request and the number that identifies its reply. */
export interface SqliteWorkerCall {
  readonly id: number;
  readonly request: SqliteWorkerRequest;
}

/** The worker's response to a `SqliteWorkerCall`. */
export type SqliteWorkerReply =
  | { readonly id: number; readonly done: SqliteWorkerResult }
  | { readonly id: number; readonly failure: SqliteWorkerFailure };
