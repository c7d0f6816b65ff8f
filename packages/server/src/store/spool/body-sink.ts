import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { isJsonObject, type Json } from '@floe/contract/json';
import type { Database, SpoolIngestResult, SpoolRegion } from '../store-interfaces.ts';
import { insertStoredBodies, type StoredBodiesRow } from '../stored-bodies.ts';
import type { RowSinkOptions } from './row-sink.ts';
import { openSpool } from './spool.ts';

const LINE_BREAK = 0x0a;

/** A destination for stored bodies. Bodies have their own spool, as exchange rows do. */
export interface BodySink {
  append(row: StoredBodiesRow): void;
  /** Number of bodies on disk that are not in the database. */
  backlog(): number;
  flush(timeoutMs: number): Promise<void>;
  close(): Promise<void>;
}

export interface BodySinkOptions extends Omit<RowSinkOptions, 'database'> {
  readonly database: Pick<Database, 'rowTransaction'>;
}

/** Opens the spool `<dataDir>/bodies`. It has the same guarantees as the spool of exchange rows. */
export async function openBodySink({ dataDir, database, ...options }: BodySinkOptions): Promise<BodySink> {
  const ingest = (region: SpoolRegion) => ingestBodies(database, region);
  const spool = await openSpool({ ...options, directory: join(dataDir, 'bodies'), database: { ingest } });
  return {
    append: (row) => spool.append(JSON.stringify(row)),
    backlog: () => spool.backlog(),
    flush: (timeoutMs) => spool.flush(timeoutMs),
    close: () => spool.close(),
  };
}

async function ingestBodies(
  database: Pick<Database, 'rowTransaction'>,
  { path, from, to, last }: SpoolRegion,
): Promise<SpoolIngestResult> {
  const piece = await readRange(path, from, to);
  const length = last ? piece.length : piece.lastIndexOf(LINE_BREAK) + 1;
  const lines = piece.toString('utf8', 0, length).split('\n');
  const rest = lines.pop() ?? '';
  const rows: StoredBodiesRow[] = [];
  const rejected: string[] = [];
  for (const line of lines) {
    const row = parseBodiesRow(line);
    if (row) rows.push(row);
    else rejected.push(line);
  }
  const end = rest === '' ? undefined : parseBodiesRow(rest);
  if (end) rows.push(end);
  const inserted =
    rows.length === 0 ? 0 : await database.rowTransaction((writer) => insertStoredBodies(writer, rows));
  const torn = rest !== '' && end === undefined;
  return { next: from + length, inserted, known: rows.length - inserted, rejected, torn };
}

async function readRange(path: string, from: number, to: number): Promise<Buffer> {
  const file = await open(path);
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(to - from), 0, to - from, from);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** Parses a line of the spool. Returns undefined for a line that is incomplete or that Floe did not write. */
function parseBodiesRow(line: string): StoredBodiesRow | undefined {
  let row: Json;
  try {
    row = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (!isJsonObject(row)) return undefined;
  const { id, org_id, key_id, owner = null, created_at, sealed } = row;
  if (typeof id !== 'string' || typeof org_id !== 'string' || typeof key_id !== 'string') return undefined;
  if (typeof created_at !== 'number' || typeof sealed !== 'string') return undefined;
  return { id, org_id, key_id, owner: typeof owner === 'string' ? owner : null, created_at, sealed };
}
