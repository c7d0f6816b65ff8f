import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyticsSummaryQuery } from '@floe/contract/api/charts';
import {
  type FilterField,
  negateFieldFilter,
  parsePastedFilters,
  parseTypedFilter,
  toFilterTokens,
  toMultiValueFilterQuery,
} from './filter-text.ts';
import {
  advanceTimeRange,
  chooseChartInterval,
  formatTimeRangeLabel,
  normalizeRelativeTimeRange,
  parseRelativeTimeRangeMs,
  resolveTimeRange,
} from './time-range.ts';

const FIELDS: readonly FilterField[] = [
  { name: 'status', label: 'status' },
  { name: 'latency_ms', label: 'latency' },
  { name: 'model', label: 'model' },
  { name: 'metadata', label: 'metadata', keyed: true },
];
const NOW = new Date('2026-11-21T12:00:00.000Z');

test('a typed filter becomes the parameter of the API', () => {
  assert.deepEqual(parseTypedFilter('status:429', FIELDS), {
    kind: 'token',
    token: { name: 'status', value: '429' },
  });
  assert.deepEqual(parseTypedFilter('metadata.team = "a b"', FIELDS), {
    kind: 'token',
    token: { name: 'metadata.team', value: 'a b' },
  });
  assert.deepEqual(parseTypedFilter('hello', FIELDS), { kind: 'text' });
});

test('what is left out is typed in the ways people are used to', () => {
  for (const typed of [
    '-model:gpt-5',
    'model != gpt-5',
    'model is not gpt-5',
    'model:!gpt-5',
    '-model="gpt-5"',
  ])
    assert.deepEqual(
      parseTypedFilter(typed, FIELDS),
      { kind: 'token', token: { name: 'model', value: '!gpt-5' } },
      typed,
    );
  assert.deepEqual(parsePastedFilters('-status:2xx model:a,b', FIELDS), [
    { name: 'status', value: '!2xx' },
    { name: 'model', value: 'a,b' },
  ]);
});

test('a filter that the API cannot negate is not turned into its opposite', () => {
  const fields: readonly FilterField[] = [
    { name: 'latency_ms', label: 'latency', excludes: 'bounds' },
    { name: 'stream', label: 'stream', excludes: false },
  ];
  for (const typed of ['-latency_ms:100', 'latency_ms is not 100..200', 'latency_ms:!100', '-stream:true'])
    assert.equal(parseTypedFilter(typed, fields).kind, 'no_exclusion', typed);
  for (const typed of ['-latency_ms:>=100', 'latency is not >=100'])
    assert.deepEqual(parseTypedFilter(typed, fields), {
      kind: 'token',
      token: { name: 'latency_ms', value: '<100' },
    });
  const negated = (value: string) => fields.map((field) => negateFieldFilter(field, value));
  assert.deepEqual(negated('100'), [null, null]);
  assert.deepEqual(negated('>=100'), ['<100', null]);
});

test('a misspelt field is told with the nearest one', () => {
  assert.deepEqual(parseTypedFilter('latencyms:3', FIELDS), {
    kind: 'unknown_field',
    name: 'latencyms',
    nearest: 'latency_ms',
  });
  assert.deepEqual(parseTypedFilter('zzzzzzzzzz:3', FIELDS), {
    kind: 'unknown_field',
    name: 'zzzzzzzzzz',
    nearest: null,
  });
});

test('a pasted line of filters is read whole, what it does not know is left out', () => {
  assert.deepEqual(parsePastedFilters('status:500 model:openai/gpt-5 metadata.team:"a b" x:1', FIELDS), [
    { name: 'status', value: '500' },
    { name: 'model', value: 'openai/gpt-5' },
    { name: 'metadata.team', value: 'a b' },
  ]);
});

test('filters survive the way through a URL', () => {
  const query = new URLSearchParams({ range: '1h', 'metadata.team': 'a&b=c' });
  assert.deepEqual(toFilterTokens(new URLSearchParams(query.toString()), FIELDS), [
    { name: 'metadata.team', value: 'a&b=c' },
  ]);
});

test('several values of a filter are several parameters of charts and of the list of requests', () => {
  const query = toMultiValueFilterQuery([
    { name: 'key', value: 'ci,nightly' },
    { name: 'model', value: '!a,!b' },
    { name: 'team', value: '"a, b"' },
  ]);
  assert.deepEqual(query, { key: ['ci', 'nightly'], model: ['!a', '!b'], team: 'a, b' });
  assert.equal(analyticsSummaryQuery.safeParse(query).success, true);
});

test('a range is read as people write it and is never refused', () => {
  assert.equal(parseRelativeTimeRangeMs('45m'), 2_700_000);
  assert.equal(normalizeRelativeTimeRange('last 3 days'), '3d');
  for (const broken of ['', '0m', '99999d', 'soon', '-1h', '3 months', '30s'])
    assert.equal(parseRelativeTimeRangeMs(broken), null, broken);
  assert.equal(resolveTimeRange(new URLSearchParams('range=nonsense'), NOW).range, '24h');
});

test('an absolute span wins over a range, and one that ends before it begins does not count', () => {
  const absolute = resolveTimeRange(
    new URLSearchParams('from=2026-11-20T00:00:00Z&to=2026-11-20T01:00:00Z&range=1h'),
    NOW,
  );
  assert.equal(absolute.range, null);
  assert.equal(absolute.to.toISOString(), '2026-11-20T01:00:00.000Z');
  assert.equal(
    resolveTimeRange(new URLSearchParams('from=2026-11-20T02:00:00Z&to=2026-11-20T01:00:00Z'), NOW).range,
    '24h',
  );
});

test('charts have few enough points to read', () => {
  const of = (range: string) => chooseChartInterval(resolveTimeRange(new URLSearchParams({ range }), NOW));
  assert.deepEqual(['1h', '24h', '30d'].map(of), ['minute', 'hour', 'day']);
  assert.equal(
    formatTimeRangeLabel(resolveTimeRange(new URLSearchParams('range=45m'), NOW)),
    'Last 45 minutes',
  );
  assert.equal(formatTimeRangeLabel(resolveTimeRange(new URLSearchParams('range=1d'), NOW)), 'Last 1 day');
  assert.equal(
    formatTimeRangeLabel(resolveTimeRange(new URLSearchParams('range=last 3 days'), NOW)),
    'Last 3 days',
  );
});

test('a relative time moves with the clock, and a fixed one does not', () => {
  const later = new Date(NOW.getTime() + 5 * 3_600_000);
  const hour = resolveTimeRange(new URLSearchParams('range=1h'), NOW);
  assert.equal(advanceTimeRange(hour, later).from.toISOString(), '2026-11-21T16:00:00.000Z');
  const fixed = resolveTimeRange(new URLSearchParams('from=2026-11-20T00:00:00Z'), NOW);
  assert.equal(advanceTimeRange(fixed, later), fixed);
});
