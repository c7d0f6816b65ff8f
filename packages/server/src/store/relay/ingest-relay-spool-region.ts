import { open } from 'node:fs/promises';
import { isJsonObject } from '@floe/contract/json';
import { replaceUnstorableRowText } from '../../core/unstorable-characters.ts';
import type { Database, SpoolIngestResult, SpoolRegion } from '../store-interfaces.ts';
import type { RelayDecisionsTable, RelayReportsTable } from './relay-tables.ts';

/** A row in the relay's spool: a decision or a report. */
export type RelaySpoolRow =
  | { readonly table: 'relay_decisions'; readonly row: RelayDecisionsTable }
  | { readonly table: 'relay_reports'; readonly row: RelayReportsTable };

/** Number of rows per statement. PostgreSQL accepts 65,535 values. */
const ROWS_PER_STATEMENT = 200;
const LINE_BREAK = 0x0a;

/**
 * Inserts the rows in a region of the relay's spool in one transaction. Ignores rows that already
 * exist. The main thread parses them, because there are at most a few hundred decisions per second.
 */
export async function ingestRelaySpoolRegion(
  database: Database,
  region: SpoolRegion,
): Promise<SpoolIngestResult> {
  const piece = await readRegion(region);
  const length = region.last ? piece.length : piece.lastIndexOf(LINE_BREAK) + 1;
  const lines = piece.toString('utf8', 0, length).split('\n');
  const rest = lines.pop() ?? '';
  const rows: RelaySpoolRow[] = [];
  const rejected: string[] = [];
  for (const line of lines) {
    const row = parseRelayRow(line);
    if (row) rows.push(row);
    else rejected.push(line);
  }
  const last = rest === '' ? null : parseRelayRow(rest);
  if (last) rows.push(last);
  const inserted = rows.length === 0 ? 0 : await database.transaction((writer) => insertAll(writer, rows));
  const torn = rest !== '' && last === null;
  return { next: region.from + length, inserted, known: rows.length - inserted, rejected, torn };
}

async function readRegion({ path, from, to }: SpoolRegion): Promise<Buffer> {
  const handle = await open(path, 'r');
  try {
    const piece = Buffer.alloc(to - from);
    const { bytesRead } = await handle.read(piece, 0, piece.length, from);
    return piece.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

type Writer = Parameters<Parameters<Database['transaction']>[0]>[0];

async function insertAll(writer: Writer, rows: readonly RelaySpoolRow[]): Promise<number> {
  const decisions = rows.flatMap((line) => (line.table === 'relay_decisions' ? [line.row] : []));
  const reports = rows.flatMap((line) => (line.table === 'relay_reports' ? [line.row] : []));
  let inserted = 0;
  for (let at = 0; at < decisions.length; at += ROWS_PER_STATEMENT) {
    const values = decisions.slice(at, at + ROWS_PER_STATEMENT);
    const adding = writer.insertInto('relay_decisions').values(values);
    const done = await adding.onConflict((conflict) => conflict.doNothing()).executeTakeFirst();
    inserted += Number(done.numInsertedOrUpdatedRows ?? 0n);
  }
  for (let at = 0; at < reports.length; at += ROWS_PER_STATEMENT) {
    const values = reports.slice(at, at + ROWS_PER_STATEMENT);
    const adding = writer.insertInto('relay_reports').values(values);
    const done = await adding.onConflict((conflict) => conflict.doNothing()).executeTakeFirst();
    inserted += Number(done.numInsertedOrUpdatedRows ?? 0n);
  }
  return inserted;
}

/** Parses a line of the spool. Returns null for a line that Floe did not write. */
function parseRelayRow(line: string): RelaySpoolRow | null {
  let parsed: unknown;
  try {
    parsed = JSON.parse(line);
  } catch {
    return null;
  }
  if (!isJsonObject(parsed) || !isJsonObject(parsed['row'])) return null;
  const { table, row } = parsed;
  if (table === 'relay_decisions' && isDecision(row)) return { table, row: replaceUnstorableRowText(row) };
  if (table === 'relay_reports' && isReport(row)) return { table, row: replaceUnstorableRowText(row) };
  return null;
}

const DECISION_TEXT_COLUMNS = [
  'id',
  'org_id',
  'event',
  'decision',
  'enforced_decision',
  'input_summary',
  'agent',
  'key_id',
  'matches_json',
  'findings_json',
];
const REPORT_TEXT_COLUMNS = ['id', 'org_id', 'type', 'agent', 'key_id', 'details_json'];

/**
 * Returns whether a row is a decision. Checks only a few fields, because only Floe writes the spool; they
 * identify incomplete and foreign lines.
 */
function isDecision(row: unknown): row is RelayDecisionsTable {
  return hasTextColumns(row, DECISION_TEXT_COLUMNS);
}

function isReport(row: unknown): row is RelayReportsTable {
  return hasTextColumns(row, REPORT_TEXT_COLUMNS);
}

function hasTextColumns(row: unknown, texts: readonly string[]): boolean {
  if (!isJsonObject(row) || typeof row['created_at'] !== 'number') return false;
  return texts.every((name) => typeof row[name] === 'string');
}
