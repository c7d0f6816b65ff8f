// The tables of docs/reference/clients.md: rows of this run replace their former ones, the others stay with their date.
import { readFileSync, writeFileSync } from 'node:fs';
import { TEST_DIALECTS } from '../answer-content.ts';

export interface ResultRow {
  readonly name: string;
  readonly version: string;
  readonly surface: string;
  /** One per dialect of upstream, or a single one for all. */
  readonly cells: readonly string[];
  readonly date: string;
}

/** Writes each table between its markers: `<!-- results: sdks -->` and `<!-- end -->`. */
export function writeResults(file: string, tables: Readonly<Record<string, readonly ResultRow[]>>): void {
  let text = readFileSync(file, 'utf8');
  for (const [name, rows] of Object.entries(tables)) text = replaceResultTable(text, name, rows);
  writeFileSync(file, text);
}

/** @throws Error when the document has no such table. */
export function replaceResultTable(text: string, name: string, rows: readonly ResultRow[]): string {
  const place = new RegExp(`(<!-- results: ${name} -->\n)([^]*?)(<!-- end -->)`);
  if (!place.test(text)) throw new Error(`no table ${name}`);
  return text.replace(place, (_all, from: string, old: string, to: string) => {
    const lines = new Map(linesOf(old).map((line) => [line.split(' | ')[0]?.replace('| ', ''), line]));
    for (const row of rows) lines.set(row.name, lineOf(row));
    return `${from}${[...head(), ...[...lines.values()].sort()].join('\n')}\n${to}`;
  });
}

function head(): readonly string[] {
  const columns = ['client', 'version', 'surface', ...TEST_DIALECTS, 'run on'];
  return [`| ${columns.join(' | ')} |`, `|${columns.map(() => '---|').join('')}`];
}

function linesOf(table: string): readonly string[] {
  return table.split('\n').filter((line, at) => line.startsWith('| ') && at > 0);
}

function lineOf({ name, version, surface, cells, date }: ResultRow): string {
  const [first = ''] = cells;
  const shown = cells.length === 1 ? TEST_DIALECTS.map(() => first) : cells;
  return `| ${[name, version, surface, ...shown, date].map((cell) => cell.replaceAll('|', '/')).join(' | ')} |`;
}
