import { isRecord } from './api-operations.ts';
import { type CliTableColumn, getCellValue } from './table-column.ts';

type Row = Readonly<Record<string, unknown>>;

/** Fields that come first in a list without defined columns. Other fields follow if they fit. */
const LEADING_COLUMNS = [
  'id',
  'slug',
  'name',
  'created_at',
  'at',
  'status',
  'state',
  'model',
  'kind',
  'role',
];
const TRAILING_COLUMNS = ['source', 'updated_at', 'updated_by', 'created_by'];
const MAX_COLUMNS = 8;
const MAX_CELL_CHARS = 48;
const MILLISECONDS = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.\d{3}Z$/;

/**
 * Formats rows as aligned columns without borders, so that `grep` and `awk` can process them. Without
 * `columns`, shows the fields whose values fit on one line.
 */
export function formatTable(rows: readonly unknown[], columns?: readonly CliTableColumn[]): string {
  const records = rows.filter(isRecord);
  const shown = columns ?? selectColumns(records);
  const cells = [
    shown.map(({ title }) => title),
    ...records.map((row) =>
      shown.map((column) => {
        const text = formatCell(getCellValue(row, column)).replace(MILLISECONDS, '$1Z');
        return column.whole ? text : truncateCell(text);
      }),
    ),
  ];
  const widths = shown.map((_, at) => Math.max(...cells.map((line) => line[at]?.length ?? 0)));
  const lines = cells.map((line) =>
    line
      .map((text, at) => text.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return `${lines.join('\n')}\n`;
}

/** Returns whether every value of the rows fits on one line. */
export function canFormatAsTable(rows: readonly unknown[]): boolean {
  return rows.every((row) => isRecord(row) && Object.values(row).every(fitsOnOneLine));
}

function selectColumns(records: readonly Row[]): readonly CliTableColumn[] {
  const names = [...new Set(records.flatMap((row) => Object.keys(row)))].filter((name) =>
    records.some((row) => formatCell(row[name]) !== '-' && fitsOnOneLine(row[name]) && !isRecord(row[name])),
  );
  const rank = (name: string) =>
    LEADING_COLUMNS.includes(name)
      ? LEADING_COLUMNS.indexOf(name)
      : TRAILING_COLUMNS.includes(name)
        ? 1000
        : 100;
  return names
    .sort((one, other) => rank(one) - rank(other))
    .slice(0, MAX_COLUMNS)
    .map((name) => ({ title: name.toUpperCase(), paths: [name] }));
}

/**
 * Returns whether a value can be formatted as one line. Lists of objects cannot. Objects cannot either,
 * except the source of a resource.
 */
export function fitsOnOneLine(value: unknown): boolean {
  return Array.isArray(value)
    ? value.every((one) => typeof one !== 'object' || one === null)
    : !isRecord(value) || isSource(value);
}

const truncateCell = (text: string) =>
  text.length > MAX_CELL_CHARS ? `${text.slice(0, MAX_CELL_CHARS - 1)}…` : text;

/** Formats a value as one line. Removes control characters, which could change the state of the terminal. */
export function formatCell(value: unknown): string {
  if (value === undefined || value === null || value === '') return '-';
  if (isRecord(value) && isSource(value)) return formatSource(value);
  if (Array.isArray(value) && fitsOnOneLine(value))
    return value.length === 0 ? '-' : formatCell(value.join(','));
  return replaceControlCharacters(typeof value === 'object' ? JSON.stringify(value) : String(value));
}

const isSource = (value: Row) => typeof value['kind'] === 'string' && 'line' in value;

/** Formats the source of a resource: `console`, or `file:12`. */
function formatSource({ kind, line }: Row): string {
  return replaceControlCharacters(typeof line === 'number' ? `${kind}:${line}` : String(kind));
}

function replaceControlCharacters(text: string): string {
  return text.replace(/\p{Cc}/gu, ' ');
}
