import { isRecord } from './api-operations.ts';
import { canFormatAsTable, fitsOnOneLine, formatCell, formatTable } from './format-table.ts';
import type { CliTableColumn } from './table-column.ts';

type Row = Readonly<Record<string, unknown>>;

/** Maximum number of columns of a nested table. Lists with more columns are shown as one block per entry. */
const MAX_INNER_COLUMNS = 4;
const MAX_INLINE_MEMBERS = 3;
const INDENT = '  ';

/**
 * Formats a response for the terminal: a list as a table, a document such as YAML as plain text, and any
 * other object with one line per field.
 */
export function formatResponse(answer: unknown, columns?: readonly CliTableColumn[]): string {
  if (Array.isArray(answer)) return formatList(answer, columns);
  if (!isRecord(answer)) return `${formatCell(answer)}\n`;
  const text = findOnlyText(answer);
  if (text !== undefined) return formatText(text);
  const { data, ...others } = answer;
  if (!Array.isArray(data)) return formatRecordFields(answer);
  const given = Object.fromEntries(Object.entries(others).filter(([, value]) => value !== null));
  const rest = Object.keys(given).length === 0 ? '' : `\n${formatRecordFields(given)}`;
  return `${formatList(data, columns)}${rest}`;
}

/** The text of a response whose only field is a document, such as YAML. */
function findOnlyText(answer: Row): string | undefined {
  const [value, ...more] = Object.values(answer);
  return more.length === 0 && typeof value === 'string' && value.includes('\n') ? value : undefined;
}

function formatList(rows: readonly unknown[], columns?: readonly CliTableColumn[]): string {
  if (rows.length === 0) return 'None.\n';
  if (columns || canFormatAsTable(rows)) return formatTable(rows, columns);
  return rows.map(formatBlock).join('\n');
}

/**
 * Formats an object with one line per field. Long values are on indented lines below the name of the field.
 */
export function formatRecordFields(record: Row): string {
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

/** Formats a value on one line. Undefined if it needs several. */
function formatLine(value: unknown): string | undefined {
  if (typeof value === 'string' && value.trimEnd().includes('\n')) return undefined;
  if (fitsOnOneLine(value)) return formatCell(value);
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
  if (isRecord(value)) return formatRecordFields(value);
  if (!Array.isArray(value)) return `${formatCell(value)}\n`;
  const names = new Set(value.flatMap((entry) => (isRecord(entry) ? Object.keys(entry) : [])));
  if (names.size <= MAX_INNER_COLUMNS && canFormatAsTable(value))
    return formatTable(value, listColumns(names));
  return value.map((entry) => indent(formatBlock(entry)).replace(/^ {2}/, '- ')).join('');
}

const listColumns = (names: ReadonlySet<string>): readonly CliTableColumn[] =>
  [...names].map((name) => ({ title: name.toUpperCase(), paths: [name], whole: true }));

/** Formats text with its line breaks. Removes control characters that could affect the terminal. */
function formatText(text: string): string {
  const shown = text.replace(/[^\P{Cc}\n\t]/gu, ' ');
  return shown.endsWith('\n') ? shown : `${shown}\n`;
}

const indent = (text: string) => text.replace(/^(?=.)/gm, INDENT);
