import type { RequestRow } from '@floe/contract/api/analytics';
import { EXCHANGE_OUTCOMES } from '@floe/contract/exchange-outcome';
import type { FilterField, FilterToken } from '../../filters/filter-text.ts';
import { escapeOperator } from '../../filters/filter-value.ts';
import { requestsText } from './text.ts';

/** The filter fields of requests. Their names are the query parameters of the API. */
export const REQUEST_FILTER_FIELDS: readonly FilterField[] = [
  {
    name: 'status',
    label: requestsText.fields.status,
    values: ['error', '2xx', '4xx', '5xx', '200', '401', '402', '403', '429', '500', '502', '504'],
    excludes: true,
  },
  { name: 'outcome', label: requestsText.fields.outcome, values: EXCHANGE_OUTCOMES, excludes: true },
  {
    name: 'state',
    label: requestsText.fields.state,
    values: ['complete', 'partial', 'aborted', 'failed', 'blocked', 'cached'],
    excludes: true,
  },
  ...textFields('model', 'provider', 'key'),
  {
    name: 'route_mode',
    label: requestsText.fields.route_mode,
    values: ['unified', 'passthrough-a', 'passthrough-b', 'ide'],
    excludes: true,
  },
  ...textFields('model_requested', 'error_code', 'surface'),
  {
    name: 'cache',
    label: requestsText.fields.cache,
    values: ['hit', 'miss', 'bypass', 'refresh'],
    excludes: true,
  },
  ...textFields('team', 'owner', 'end_user', 'finish_reason'),
  ...textFields('client', 'session'),
  {
    name: 'error_source',
    label: requestsText.fields.error_source,
    values: ['gateway', 'upstream'],
    excludes: true,
  },
  { name: 'stream', label: requestsText.fields.stream, values: ['true', 'false'], excludes: false },
  { name: 'dropped', label: requestsText.fields.dropped, values: ['true', 'false'], excludes: false },
  ...numberFields(
    'latency_ms',
    'first_token_ms',
    'cost_nano_usd',
    'input_tokens',
    'output_tokens',
    'attempts',
  ),
  { name: 'metadata', label: requestsText.fields.metadata, keyed: true, excludes: true },
];

type FieldName = keyof typeof requestsText.fields;

function textFields(...names: readonly FieldName[]): FilterField[] {
  return names.map((name) => ({ name, label: requestsText.fields[name], excludes: true }));
}

function numberFields(...names: readonly FieldName[]): FilterField[] {
  return names.map((name) => ({
    name,
    label: requestsText.fields[name],
    excludes: 'bounds',
    values: ['>=', '<='],
  }));
}

/** States that the list shows by name instead of the HTTP status. */
const NAMED_STATES: ReadonlySet<string> = new Set(['partial', 'aborted', 'cached']);

/** Returns the filters that match the value of a cell. Empty if the cell has no value. */
export function listCellFilters(row: RequestRow, column: string): readonly FilterToken[] {
  const own = (name: string, value: string | null) =>
    value === null || value === '' ? [] : [{ name, value: escapeOperator(value) }];
  switch (column) {
    case 'status':
      return NAMED_STATES.has(row.state) ? own('state', row.state) : own('status', String(row.status));
    case 'model':
      return own('model', row.model_requested ?? row.model);
    case 'key':
      return own('key', row.key_name);
    case 'error':
      return own('error_code', row.error_code);
    case 'metadata':
      return Object.entries(row.metadata).flatMap(([name, value]) =>
        typeof value === 'string' ? own(`metadata.${name}`, value) : [],
      );
    case 'surface':
    case 'route_mode':
    case 'provider':
    case 'cache':
    case 'owner':
    case 'team':
    case 'end_user':
    case 'client':
    case 'session':
      return own(column, row[column]);
    default:
      return column.startsWith('metadata.')
        ? listCellFilters(row, 'metadata').filter(({ name }) => name === column)
        : [];
  }
}

/** Returns the filters that match the values of a row, the most specific first. */
export function listRowFilters(row: RequestRow): readonly FilterToken[] {
  const columns = [
    'status',
    'error',
    'model',
    'key',
    'provider',
    'team',
    'owner',
    'end_user',
    'client',
    'session',
    'metadata',
  ];
  return columns.flatMap((column) => listCellFilters(row, column));
}

/** Returns whether a text has the form of a request ID, as in response headers and logs. */
export function isRequestId(text: string): boolean {
  return /^exc_\w+$/.test(text);
}
