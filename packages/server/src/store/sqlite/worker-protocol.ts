import type { OptimisticBeatParameters } from '../monitoring/optimistic-beats.ts';
import type { IngestResult, SpoolRegion } from '../ports.ts';

/** What SQLite takes and gives. `node:sqlite` knows no booleans, dates or `undefined`. */
export type SqlValue = string | number | bigint | null | Uint8Array;

/** What the main thread asks of a worker. Each is answered once, in order. */
export type WorkerRequest =
  | { kind: 'open'; path: string; role: WorkerRole }
  | { kind: 'query'; sql: string; parameters: readonly SqlValue[] }
  | { kind: 'begin' | 'commit' | 'rollback' | 'ping' | 'close' }
  | { kind: 'ingest'; region: SpoolRegion }
  | { kind: 'beats'; beats: readonly OptimisticBeatParameters[] }
  | { kind: 'copy'; to: string };

export type WorkerRole = 'writer' | 'reader';

export interface WorkerResult {
  /** Rows of a query that returns some. Structured cloning gives them back an ordinary prototype. */
  readonly rows: readonly object[];
  readonly changes: number;
  readonly ingested: IngestResult | null;
  /** Of each of the beats, whether it was written. */
  readonly kept: readonly boolean[] | null;
}

export interface WorkerFailure {
  readonly message: string;
  /** SQLite's extended result code; null when the error is not SQLite's. */
  readonly code: number | null;
}

export interface WorkerCall {
  readonly id: number;
  readonly request: WorkerRequest;
}

export type WorkerReply =
  | { readonly id: number; readonly done: WorkerResult }
  | { readonly id: number; readonly failure: WorkerFailure };
