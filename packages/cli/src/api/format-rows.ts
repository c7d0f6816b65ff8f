import { isRecord } from './api-operations.ts';

/** Names of fields a list shows first, where its rows have them; the rest follows while there is room. */
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

/** Aligned columns without borders, so that `grep` and `awk` can read them. */
export function formatTable(rows: readonly unknown[]): string {
  const records = rows.filter(isRecord);
  const columns = selectColumns(records);
  const cells = [
    columns.map((name) => name.toUpperCase()),
    ...records.map((row) => columns.map((name) => truncateCell(formatCell(row[name])))),
  ];
  const widths = columns.map((_, at) => Math.max(...cells.map((line) => line[at]?.length ?? 0)));
  const lines = cells.map((line) =>
    line
      .map((text, at) => text.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return `${lines.join('\n')}\n`;
}

function selectColumns(records: readonly Readonly<Record<string, unknown>>[]): readonly string[] {
  const names = [...new Set(records.flatMap((row) => Object.keys(row)))].filter((name) =>
    records.some((row) => formatCell(row[name]) !== '-' && fitsColumn(row[name])),
  );
  const rank = (name: string) =>
    LEADING_COLUMNS.includes(name)
      ? LEADING_COLUMNS.indexOf(name)
      : TRAILING_COLUMNS.includes(name)
        ? 1000
        : 100;
  return names.sort((one, other) => rank(one) - rank(other)).slice(0, MAX_COLUMNS);
}

/** Whether a value fits a column: no object, and no list of objects. */
function fitsColumn(value: unknown): boolean {
  return Array.isArray(value) ? value.every((one) => typeof one !== 'object') : !isRecord(value);
}

const truncateCell = (text: string) =>
  text.length > MAX_CELL_CHARS ? `${text.slice(0, MAX_CELL_CHARS - 1)}…` : text;

/** One line of text; control characters in a name must not steer the terminal. */
function formatCell(value: unknown): string {
  if (value === undefined || value === null || value === '') return '-';
  if (isRecord(value) && typeof value['kind'] === 'string' && 'line' in value) return formatSource(value);
  if (Array.isArray(value) && fitsColumn(value))
    return value.length === 0 ? '-' : formatCell(value.join(','));
  return replaceControlCharacters(typeof value === 'object' ? JSON.stringify(value) : String(value));
}

/** Where a resource stands: `console`, or `file:12`. */
function formatSource({ kind, line }: Readonly<Record<string, unknown>>): string {
  return replaceControlCharacters(typeof line === 'number' ? `${kind}:${line}` : String(kind));
}

function replaceControlCharacters(text: string): string {
  return text.replace(/\p{Cc}/gu, ' ');
}

/** One thing, a line per field. */
export function formatFields(record: Readonly<Record<string, unknown>>): string {
  const width = Math.max(0, ...Object.keys(record).map((name) => name.length));
  const lines = Object.entries(record).map(([name, value]) => `${name.padEnd(width)}  ${formatCell(value)}`);
  return `${lines.join('\n')}\n`;
}
