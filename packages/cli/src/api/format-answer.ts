import { isRecord } from './api-operations.ts';
import { fitsLine, formatCell, formatTable, isFlatList } from './format-rows.ts';
import type { Column } from './table-column.ts';

type Row = Readonly<Record<string, unknown>>;

/** A list inside an answer is a table when it has no more columns, else a block per entry. */
const MAX_INNER_COLUMNS = 4;
const MAX_INLINE_MEMBERS = 3;
const INDENT = '  ';

/** An answer that is no page of a list, for a person. */
export function formatAnswer(answer: unknown, columns?: readonly Column[]): string {
  if (Array.isArray(answer)) return formatList(answer, columns);
  if (!isRecord(answer)) return `${formatCell(answer)}\n`;
  const text = findOnlyText(answer);
  if (text !== undefined) return formatText(text);
  const { data, ...others } = answer;
  if (!Array.isArray(data)) return formatFields(answer);
  const given = Object.fromEntries(Object.entries(others).filter(([, value]) => value !== null));
  const rest = Object.keys(given).length === 0 ? '' : `\n${formatFields(given)}`;
  return `${formatList(data, columns)}${rest}`;
}

/** A document such as YAML, which is all that the answer has. */
function findOnlyText(answer: Row): string | undefined {
  const [value, ...more] = Object.values(answer);
  return more.length === 0 && typeof value === 'string' && value.includes('\n') ? value : undefined;
}

function formatList(rows: readonly unknown[], columns?: readonly Column[]): string {
  if (rows.length === 0) return 'None.\n';
  if (columns || isFlatList(rows)) return formatTable(rows, columns);
  return rows.map(formatBlock).join('\n');
}

/** One thing, a line per field; what does not fit a line is indented below its name. */
export function formatFields(record: Row): string {
  const entries = Object.entries(record);
  const width = Math.max(0, ...entries.map(([name]) => name.length));
  return entries
    .map(([name, value]) => {
      const line = formatLine(value);
      return line === undefined
        ? `${name}\n${indent(formatBlock(value))}`
        : `${name.padEnd(width)}  ${line}\n`;
    })
    .join('');
}

/** Undefined for what needs several lines. */
function formatLine(value: unknown): string | undefined {
  if (typeof value === 'string' && value.trimEnd().includes('\n')) return undefined;
  if (fitsLine(value)) return formatCell(value);
  if (!isRecord(value)) return undefined;
  const members = Object.entries(value);
  if (members.length === 0) return '-';
  const isShort =
    members.length <= MAX_INLINE_MEMBERS &&
    members.every(([, member]) => ['number', 'boolean'].includes(typeof member));
  return isShort ? members.map(([name, member]) => `${name} ${formatCell(member)}`).join(', ') : undefined;
}

function formatBlock(value: unknown): string {
  if (typeof value === 'string') return formatText(value);
  if (isRecord(value)) return formatFields(value);
  if (!Array.isArray(value)) return `${formatCell(value)}\n`;
  const names = new Set(value.flatMap((entry) => (isRecord(entry) ? Object.keys(entry) : [])));
  if (names.size <= MAX_INNER_COLUMNS && isFlatList(value)) return formatTable(value, listColumns(names));
  return value.map((entry) => indent(formatBlock(entry)).replace(/^ {2}/, '- ')).join('');
}

const listColumns = (names: ReadonlySet<string>): readonly Column[] =>
  [...names].map((name) => ({ title: name.toUpperCase(), paths: [name], whole: true }));

/** Text with its line breaks. Other control characters must not steer the terminal. */
function formatText(text: string): string {
  const shown = text.replace(/[^\P{Cc}\n\t]/gu, ' ');
  return shown.endsWith('\n') ? shown : `${shown}\n`;
}

const indent = (text: string) => text.replace(/^(?=.)/gm, INDENT);
