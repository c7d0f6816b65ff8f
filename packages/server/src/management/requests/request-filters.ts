import type { RequestFilterQuery } from '@floe/contract/api/analytics';
import {
  EXCHANGE_NUMERIC_FILTER_COLUMNS,
  EXCHANGE_TEXT_FILTER_COLUMNS,
  type ExchangeFilters,
  type ExchangeNumericFilterColumn,
  type ExchangeTextFilterColumn,
  type IntegerRangeFilter,
  type NumericRange,
  type ValueFilter,
} from '../../store/exchange-filters.ts';

const METADATA_PREFIX = 'metadata.';

/** Converts the filters in a validated query, including `metadata.<key>`, to store filters. */
export function parseRequestFilters(
  query: RequestFilterQuery & Readonly<Record<string, unknown>>,
): ExchangeFilters {
  const chosen: { [Column in ExchangeTextFilterColumn]?: ValueFilter } = {};
  for (const column of EXCHANGE_TEXT_FILTER_COLUMNS) {
    const choice = parseValueFilter(query[column]);
    if (choice) chosen[column] = choice;
  }
  const bounded: { [Column in ExchangeNumericFilterColumn]?: NumericRange } = {};
  for (const column of EXCHANGE_NUMERIC_FILTER_COLUMNS) {
    const bounds = parseNumericRange(query[column]);
    if (bounds) bounded[column] = bounds;
  }
  return {
    textColumns: chosen,
    numericColumns: bounded,
    key: parseValueFilter(query.key),
    model: parseValueFilter(query.model),
    status: parseStatusFilter(query.status),
    outcome: parseValueFilter(query.outcome),
    stream: query.stream === undefined ? undefined : query.stream === 'true',
    dropped: query.dropped === undefined ? undefined : query.dropped === 'true',
    metadata: parseMetadataFilters(query),
  };
}

type FilterInput = string | readonly string[] | undefined;

function toList(given: FilterInput): readonly string[] {
  if (given === undefined) return [];
  return typeof given === 'string' ? [given] : given;
}

/**
 * Parses filter values of the form `x`, `!x`, `*` and `!*`, which may be repeated. Undefined if
 * there are none.
 */
export function parseValueFilter(given: FilterInput): ValueFilter | undefined {
  const values = toList(given);
  if (values.length === 0) return undefined;
  const withoutEscape = (value: string) => (value.startsWith('=') ? value.slice(1) : value);
  const negated = values.filter((value) => value.startsWith('!'));
  const plain = values.filter((value) => !value.startsWith('!') && value !== '*');
  const isPresent = values.includes('*');
  const isAbsent = values.includes('!*');
  return {
    any: plain.map(withoutEscape),
    none: negated.filter((value) => value !== '!*').map((value) => withoutEscape(value.slice(1))),
    ...((isPresent || isAbsent) && { present: isPresent }),
  };
}

/** A range that contains no status. */
const EMPTY_STATUS_RANGE = { from: 1, to: 0 };

/**
 * Parses `429`, `5xx`, `400..499`, `error` and `*`, each optionally negated with `!`. Any other value matches no status;
 * only the parameter `status_class` of charts accepts other values.
 */
function parseStatusFilter(given: FilterInput): IntegerRangeFilter | undefined {
  const values = toList(given);
  if (values.length === 0) return undefined;
  const rangesOf = (value: string) =>
    // Two ranges, because the index stores each status class separately.
    (value === 'error' ? ['4xx', '5xx'] : value === '*' ? ['0..999'] : [value]).map((one) => {
      const [from = '', to = from] = one.split('..');
      const range = { from: Number(from.replace('xx', '00')), to: Number(to.replace('xx', '99')) };
      return Number.isInteger(range.from) && Number.isInteger(range.to) ? range : EMPTY_STATUS_RANGE;
    });
  const negated = values.filter((value) => value.startsWith('!'));
  return {
    any: values.filter((value) => !value.startsWith('!')).flatMap(rangesOf),
    none: negated.flatMap((value) => rangesOf(value.slice(1))),
  };
}

/** The intersection of several bounds. */
function parseNumericRange(given: FilterInput): NumericRange | undefined {
  const values = toList(given);
  if (values.length === 0) return undefined;
  const each = values.map(parseBound);
  const from = Math.max(...each.map((bound) => bound.from ?? Number.NEGATIVE_INFINITY));
  const to = Math.min(...each.map((bound) => bound.to ?? Number.POSITIVE_INFINITY));
  return {
    ...(from !== Number.NEGATIVE_INFINITY && { from }),
    ...(to !== Number.POSITIVE_INFINITY && { to }),
  };
}

function parseBound(text: string): NumericRange {
  const [, sign = '', value = ''] = /^(>=|<=|>|<)?(-?[\d.]+)$/.exec(text) ?? [];
  if (text.includes('..')) {
    const [from, to] = text.split('..');
    return { ...(from && { from: Number(from) }), ...(to && { to: Number(to) }) };
  }
  const number = Number(value);
  if (sign === '>=') return { from: number };
  if (sign === '<=') return { to: number };
  // Use the next representable number, which is correct for integers and for measured values.
  if (sign === '>') return { from: nextDouble(number) };
  if (sign === '<') return { to: -nextDouble(-number) };
  return { from: number, to: number };
}

function nextDouble(number: number): number {
  return number + Math.max(Number.EPSILON * Math.abs(number), Number.MIN_VALUE);
}

function parseMetadataFilters(query: Readonly<Record<string, unknown>>): Record<string, ValueFilter> {
  const found: Record<string, ValueFilter> = {};
  for (const [name, value] of Object.entries(query)) {
    if (!name.startsWith(METADATA_PREFIX) || !isFilterInput(value)) continue;
    const choice = parseValueFilter(value);
    if (choice) found[name.slice(METADATA_PREFIX.length)] = choice;
  }
  return found;
}

function isFilterInput(value: unknown): value is FilterInput {
  return typeof value === 'string' || Array.isArray(value);
}
