import { closeSync, openSync, readSync } from 'node:fs';
import { EXCHANGE_COLUMNS } from '../../schema.ts';
import type { Database } from '../../store-interfaces.ts';
import { parseSpoolRows } from '../parse-spool-rows.ts';

/** A fake database for the spool. It accepts regions, and fails on request. */
export class FakeSpoolDatabase implements Pick<Database, 'ingest'> {
  /** How often each id was inserted. */
  readonly inserted = new Map<unknown, number>();
  /** While it is set, thrown instead of a result. */
  fault: ((path: string, bytes: number) => Error | null) | null = null;
  calls = 0;

  ids(): unknown[] {
    return [...this.inserted.keys()].sort();
  }

  async ingest({ path, from, to, last }: Parameters<Database['ingest']>[0]) {
    this.calls += 1;
    const fault = this.fault?.(path, to - from);
    if (fault) throw fault;
    const { rows, rejected, torn, bytesRead } = parseSpoolRows(readRange(path, from, to), last);
    let known = 0;
    for (const { values } of rows) {
      const id = values[EXCHANGE_COLUMNS.indexOf('id')];
      if (this.inserted.has(id)) known += 1;
      else this.inserted.set(id, 1);
    }
    return { next: from + bytesRead, inserted: rows.length - known, known, rejected, torn };
  }
}

function readRange(path: string, from: number, to: number): Buffer {
  const piece = Buffer.alloc(to - from);
  const file = openSync(path, 'r');
  const length = readSync(file, piece, 0, piece.length, from);
  closeSync(file);
  return piece.subarray(0, length);
}
