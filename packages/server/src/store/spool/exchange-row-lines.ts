import { isJsonObject, type Json } from '@floe/contract/json';
import { EXCHANGE_COLUMNS } from '../schema.ts';
import type { ExchangeRow } from '../store-interfaces.ts';

/** One row's values, in the order of `EXCHANGE_COLUMNS`. */
export type ExchangeRowValues = readonly (string | number | null)[];

/**
 * The first character of a line in this format. A row that the format cannot represent is written as a JSON
 * object, which starts with a brace.
 */
const FORMAT = '2';
/** Separates the parts of a line. It never occurs in the output of `JSON.stringify`. */
const SEPARATOR = '\t';
/**
 * Number of columns with JSON text, which are stored unchanged. As JSON strings, all of their quotes would be
 * escaped.
 */
const JSON_COLUMN_COUNT = 4;
/** Number of columns without JSON text, which come before the last four. */
const PLAIN_COLUMN_COUNT = EXCHANGE_COLUMNS.length - JSON_COLUMN_COUNT;
/**
 * Number of columns that every release has. Later releases add columns after these, so that earlier ones can
 * read the line.
 */
const REQUIRED_COLUMN_COUNT = EXCHANGE_COLUMNS.indexOf('prompt_saved_nano_usd') + 1;

/**
 * Formats an exchange row as a spool line, without the line break. The line is `2`, then the four
 * JSON columns as text (empty for null), then the other columns as one JSON array. Because the
 * array is last, an incomplete line is always invalid.
 */
export function formatExchangeRowLine(row: ExchangeRow): string {
  const {
    metadata_json: metadata,
    dropped_json: dropped,
    attempts_json: attempts,
    decisions_json: decisions,
  } = row;
  const texts = `${metadata ?? ''}\t${dropped ?? ''}\t${attempts}\t${decisions}`;
  if (!canSplitTexts(texts)) return JSON.stringify(row);
  return `${FORMAT}\t${texts}\t${JSON.stringify(plainValues(row))}`;
}

/**
 * Returns whether the four texts can be split again. JSON may contain line breaks and tabs between its
 * values.
 */
function canSplitTexts(texts: string): boolean {
  let separators = 0;
  for (let at = texts.indexOf(SEPARATOR); at !== -1; at = texts.indexOf(SEPARATOR, at + 1)) separators += 1;
  return separators === JSON_COLUMN_COUNT - 1 && !texts.includes('\n');
}

// budget: one array, a line per column
/** Returns the values in the order of the table. A loop over the names would take a microsecond. */
function plainValues(row: ExchangeRow): ExchangeRowValues {
  return [
    row.id,
    row.org_id,
    row.created_at,
    row.surface,
    row.route_mode,
    row.key_id,
    row.key_name,
    row.team,
    row.owner,
    row.end_user,
    row.model_requested,
    row.provider,
    row.model,
    row.stream,
    row.status,
    row.state,
    row.error_code,
    row.error_source,
    row.finish_reason,
    row.input_tokens,
    row.cached_tokens,
    row.cache_write_tokens,
    row.output_tokens,
    row.reasoning_tokens,
    row.usage_source,
    row.cost_nano_usd,
    row.cost_source,
    row.saved_nano_usd,
    row.cache,
    row.latency_ms,
    row.first_token_ms,
    row.overhead_ms,
    row.request_bytes,
    row.response_bytes,
    row.client,
    row.session,
    row.prompt_saved_nano_usd,
  ];
}

/**
 * Parses a spool line in either format. Returns null if it is invalid. After an upgrade or a rollback, the
 * line may come from another release: values of unknown columns are ignored, and missing ones are null.
 */
export function parseExchangeRowLine(line: string): ExchangeRowValues | null {
  return line.startsWith(FORMAT) ? parseTabbedLine(line) : parseObjectLine(line);
}

function parseTabbedLine(line: string): ExchangeRowValues | null {
  const [, metadata, dropped, attempts, decisions, plain, more] = line.split(SEPARATOR);
  if (metadata === undefined || dropped === undefined || attempts === undefined || decisions === undefined)
    return null;
  if (plain === undefined || more !== undefined || line.includes('\u0000')) return null;
  const values = parseJsonOrUndefined(plain);
  if (!Array.isArray(values) || values.length < REQUIRED_COLUMN_COUNT) return null;
  const row: (string | number | null)[] = [];
  for (let at = 0; at < PLAIN_COLUMN_COUNT; at += 1) {
    const value = values[at] ?? null;
    if (!isSqlValue(value)) return null;
    row.push(value);
  }
  row.push(metadata || null, dropped || null, attempts, decisions);
  return row;
}

function parseObjectLine(line: string): ExchangeRowValues | null {
  const row = parseJsonOrUndefined(line);
  if (!isJsonObject(row)) return null;
  const values = [];
  for (const [at, column] of EXCHANGE_COLUMNS.entries()) {
    const isRequired = at < REQUIRED_COLUMN_COUNT || at >= PLAIN_COLUMN_COUNT;
    const value = isRequired ? row[column] : (row[column] ?? null);
    if (value === undefined || !isSqlValue(value)) return null;
    values.push(value);
  }
  return values;
}

function isSqlValue(value: Json): value is string | number | null {
  return value === null || typeof value === 'string' || typeof value === 'number';
}

/** Parses JSON. Returns undefined if it is invalid. */
function parseJsonOrUndefined(text: string): Json | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
