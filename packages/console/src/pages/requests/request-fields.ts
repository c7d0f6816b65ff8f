import type { FilterField } from '../../filters/filter-text.ts';

/** What requests are filtered by: the API's own parameters. */
export const REQUEST_FIELDS: readonly FilterField[] = [
  {
    name: 'status',
    label: 'status',
    values: ['2xx', '4xx', '5xx', '200', '401', '402', '403', '429', '500', '502', '504'],
  },
  {
    name: 'state',
    label: 'state',
    values: ['complete', 'partial', 'aborted', 'failed', 'blocked', 'cached'],
  },
  { name: 'model', label: 'model' },
  { name: 'provider', label: 'provider' },
  { name: 'key', label: 'key' },
  { name: 'route_mode', label: 'route mode', values: ['unified', 'passthrough-a', 'passthrough-b', 'ide'] },
  { name: 'model_requested', label: 'model asked for' },
  { name: 'error_code', label: 'error code' },
  { name: 'surface', label: 'surface' },
  { name: 'cache', label: 'cache', values: ['hit', 'miss', 'bypass', 'refresh'] },
  { name: 'team', label: 'team' },
  { name: 'owner', label: 'owner' },
  { name: 'end_user', label: 'end user' },
  { name: 'latency_ms', label: 'latency in ms' },
  { name: 'cost_nano_usd', label: 'cost in nano USD' },
  { name: 'attempts', label: 'attempts' },
  { name: 'metadata', label: 'metadata', keyed: true },
];
