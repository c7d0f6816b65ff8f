import type { RequestRow } from '@floe/contract/api/analytics';
import { EXCHANGE_OUTCOMES } from '@floe/contract/exchange-outcome';
import type { FilterField, FilterToken } from '../../filters/filter-text.ts';

/** What requests are filtered by: the API's own parameters. */
export const REQUEST_FIELDS: readonly FilterField[] = [
  {
    name: 'status',
    label: 'status',
    values: ['error', '2xx', '4xx', '5xx', '200', '401', '402', '403', '429', '500', '502', '504'],
    excludes: true,
  },
  { name: 'outcome', label: 'outcome', values: EXCHANGE_OUTCOMES, excludes: true },
  {
    name: 'state',
    label: 'state',
    values: ['complete', 'partial', 'aborted', 'failed', 'blocked', 'cached'],
    excludes: true,
  },
  ...words({ model: 'model', provider: 'provider', key: 'key' }),
  {
    name: 'route_mode',
    label: 'route mode',
    values: ['unified', 'passthrough-a', 'passthrough-b', 'ide'],
    excludes: true,
  },
  ...words({ model_requested: 'model asked for', error_code: 'error code', surface: 'surface' }),
  { name: 'cache', label: 'cache', values: ['hit', 'miss', 'bypass', 'refresh'], excludes: true },
  ...words({ team: 'team', owner: 'owner', end_user: 'end user', finish_reason: 'finish reason' }),
  ...words({ client: 'client', session: 'session' }),
  { name: 'error_source', label: 'error source', values: ['gateway', 'upstream'], excludes: true },
  { name: 'stream', label: 'stream', values: ['true', 'false'] },
  { name: 'dropped', label: 'not carried', values: ['true', 'false'] },
  ...numbers({
    latency_ms: 'latency in ms',
    first_token_ms: 'first token in ms',
    cost_nano_usd: 'cost in nano USD',
    input_tokens: 'input tokens',
    output_tokens: 'output tokens',
    attempts: 'attempts',
  }),
  { name: 'metadata', label: 'metadata', keyed: true, excludes: true },
];

function words(labels: Readonly<Record<string, string>>): FilterField[] {
  return Object.entries(labels).map(([name, label]) => ({ name, label, excludes: true }));
}

function numbers(labels: Readonly<Record<string, string>>): FilterField[] {
  return Object.entries(labels).map(([name, label]) => ({
    name,
    label,
    excludes: true,
    values: ['>=', '<='],
  }));
}

/** Ends that the list names by a word of their own rather than by their status. */
const NAMED_STATES: ReadonlySet<string> = new Set(['partial', 'aborted', 'cached']);

/** What a cell of a row can be filtered by: the parameter and the value; nothing where a cell says nothing. */
export function cellFilters(row: RequestRow, column: string): readonly FilterToken[] {
  const own = (name: string, value: string | null) =>
    value === null || value === '' ? [] : [{ name, value: literal(value) }];
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
        ? cellFilters(row, 'metadata').filter(({ name }) => name === column)
        : [];
  }
}

/** What would mean something else at the head of a value is said to be meant as it is. */
function literal(value: string): string {
  return /^[!=*<>]/.test(value) ? `=${value}` : value;
}

/** Everything a row can be filtered by, what tells most first. */
export function rowFilters(row: RequestRow): readonly FilterToken[] {
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
  return columns.flatMap((column) => cellFilters(row, column));
}
