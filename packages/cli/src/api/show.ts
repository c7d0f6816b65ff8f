import { isRecord } from './operations.ts';

/** Names of fields a list shows first, where its rows have them; the rest follows while there is room. */
const FIRST = ['id', 'slug', 'name', 'created_at', 'at', 'status', 'state', 'model', 'kind', 'role'];
const LAST = ['source', 'updated_at', 'updated_by', 'created_by'];
const MOST_COLUMNS = 8;
const WIDEST_CELL = 48;

/** Aligned columns without borders, so that `grep` and `awk` can read them. */
export function table(rows: readonly unknown[]): string {
  const records = rows.filter(isRecord);
  const columns = columnsOf(records);
  const cells = [
    columns.map((name) => name.toUpperCase()),
    ...records.map((row) => columns.map((name) => cut(cell(row[name])))),
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

function columnsOf(records: readonly Readonly<Record<string, unknown>>[]): readonly string[] {
  const names = [...new Set(records.flatMap((row) => Object.keys(row)))].filter((name) =>
    records.some((row) => cell(row[name]) !== '-' && isShort(row[name])),
  );
  const rank = (name: string) =>
    FIRST.includes(name) ? FIRST.indexOf(name) : LAST.includes(name) ? 1000 : 100;
  return names.sort((one, other) => rank(one) - rank(other)).slice(0, MOST_COLUMNS);
}

/** Whether a value fits a column: no object, and no list of objects. */
function isShort(value: unknown): boolean {
  return Array.isArray(value) ? value.every((one) => typeof one !== 'object') : !isRecord(value);
}

const cut = (text: string) => (text.length > WIDEST_CELL ? `${text.slice(0, WIDEST_CELL - 1)}…` : text);

/** One line of text; control characters in a name must not steer the terminal. */
function cell(value: unknown): string {
  if (value === undefined || value === null || value === '') return '-';
  if (isRecord(value) && typeof value['kind'] === 'string' && 'line' in value) return placeOf(value);
  if (Array.isArray(value) && isShort(value)) return value.length === 0 ? '-' : cell(value.join(','));
  return plain(typeof value === 'object' ? JSON.stringify(value) : String(value));
}

/** Where a resource stands: `console`, or `file:12`. */
function placeOf({ kind, line }: Readonly<Record<string, unknown>>): string {
  return plain(typeof line === 'number' ? `${kind}:${line}` : String(kind));
}

function plain(text: string): string {
  return text.replace(/\p{Cc}/gu, ' ');
}

/** One thing, a line per field. */
export function fields(record: Readonly<Record<string, unknown>>): string {
  const width = Math.max(0, ...Object.keys(record).map((name) => name.length));
  const lines = Object.entries(record).map(([name, value]) => `${name.padEnd(width)}  ${cell(value)}`);
  return `${lines.join('\n')}\n`;
}
