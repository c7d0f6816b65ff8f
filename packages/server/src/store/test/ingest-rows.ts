import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Database, SpoolIngestResult } from '../store-interfaces.ts';
import { createTemporaryDirectory } from './temporary-directory.ts';

let files = 0;

/** Inserts rows in the same way as the spool. */
export function ingestRows(
  t: TestContext,
  database: Database,
  rows: readonly object[],
): Promise<SpoolIngestResult> {
  const path = join(createTemporaryDirectory(t), `rows-${files++}.jsonl`);
  const text = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
  writeFileSync(path, text);
  return database.ingest({ path, from: 0, to: Buffer.byteLength(text), last: true });
}
