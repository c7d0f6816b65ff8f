import type { QuietValues } from '../monitoring/quiet-beats.ts';
import type { Ingested, SpoolRegion } from '../ports.ts';

/** What SQLite takes and gives. `node:sqlite` knows no booleans, dates or `undefined`. */
export type SqlValue = string | number | bigint | null | Uint8Array;

/** What the main thread asks of a worker. Each is answered once, in order. */
export type Request =
  | { kind: 'open'; path: string; role: Role }
  | { kind: 'query'; sql: string; parameters: readonly SqlValue[] }
  | { kind: 'begin' | 'commit' | 'rollback' | 'ping' | 'close' }
  | { kind: 'ingest'; region: SpoolRegion }
  | { kind: 'beats'; beats: readonly QuietValues[] }
  | { kind: 'copy'; to: string };

export type Role = 'writer' | 'reader';

export interface Done {
  /** Rows of a query that returns some. Structured cloning gives them back an ordinary prototype. */
  readonly rows: readonly object[];
  readonly changes: number;
  readonly ingested: Ingested | null;
  /** Of each of the beats, whether it was written. */
  readonly kept: readonly boolean[] | null;
}

export interface Failure {
  readonly message: string;
  /** SQLite's extended result code; null when the error is not SQLite's. */
  readonly code: number | null;
}

export interface Call {
  readonly id: number;
  readonly request: Request;
}

export type Reply =
  | { readonly id: number; readonly done: Done }
  | { readonly id: number; readonly failure: Failure };
