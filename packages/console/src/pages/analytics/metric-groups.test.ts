import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type AdditiveMetrics,
  computeRelativeChange,
  formatCostPerProviderRequest,
  formatMetricGroupsCsv,
  MAX_METRIC_GROUPS,
  toMetricGroupRows,
} from './metric-groups.ts';

const sums = (requests: number, cost: number): AdditiveMetrics => ({
  requests,
  errors: 0,
  input_tokens: 0,
  output_tokens: 0,
  cached_tokens: 0,
  cost_nano_usd: cost,
});

test('rows and the rest are exactly the total, to the nano', () => {
  const groups = [
    { ...sums(3, 700), value: 'key_1', name: 'agents', previous: sums(1, 350) },
    { ...sums(1, 100), value: null, name: null, previous: null },
    ...Array.from({ length: MAX_METRIC_GROUPS - 2 }, (_, at) => ({
      ...sums(1, 0),
      value: `k${at}`,
      name: null,
    })),
  ];
  const total = sums(104, 1001);
  const rows = toMetricGroupRows('model', groups, total, 'cost_nano_usd');
  assert.deepEqual(
    [...rows.slice(0, 2), ...rows.slice(MAX_METRIC_GROUPS)].map(
      ({ label, sums: { cost_nano_usd }, change }) => [label, cost_nano_usd, change],
    ),
    [
      ['agents', 700, 1],
      ['No model', 100, null],
      ['Other', 201, null],
    ],
  );
  assert.equal(
    rows.reduce((sum, row) => sum + row.sums.cost_nano_usd, 0),
    total.cost_nano_usd,
  );
});

test('requests that were counted after the groups are not shown as other groups', () => {
  const groups = [{ ...sums(3, 700), value: 'key_1', name: 'agents' }];
  const rows = toMetricGroupRows('key', groups, sums(4, 800), 'requests');
  assert.deepEqual(
    rows.map(({ label, isOther }) => [label, isOther]),
    [['agents', false]],
  );
});

test('there is no change against nothing', () => {
  assert.equal(computeRelativeChange(5, 0), null);
  assert.equal(computeRelativeChange(5, undefined), null);
  assert.equal(computeRelativeChange(5, 10), -0.5);
});

test('the file says of what time it is, has raw numbers, and a name is never a formula', () => {
  const groups = [
    { ...sums(2, 5), value: 'k', name: '=SUM(A1,"x")' },
    { ...sums(1, 1_500_000_000), value: null, name: null },
  ];
  const rows = [
    ...toMetricGroupRows('key', groups, sums(4, 1_500_000_008), 'requests'),
    { value: null, label: 'Other', isOther: true, sums: sums(1, 3), share: 0.25, change: null },
  ];
  const period = { from: '2026-11-01T00:00:00Z', to: '2026-11-08T00:00:00Z', timezone: 'Europe/Berlin' };
  const lines = formatMetricGroupsCsv('key', rows, period).split('\r\n');
  const time = '2026-11-01T00:00:00Z,2026-11-08T00:00:00Z,Europe/Berlin';
  assert.deepEqual(lines, [
    'from,to,timezone,key,id,requests,errors,input_tokens,cached_tokens,output_tokens,cost_usd',
    `${time},"'=SUM(A1,""x"")",k,2,0,0,0,0,0.000000005`,
    `${time},No key,,1,0,0,0,0,1.5`,
    `${time},Other,,1,0,0,0,0,0.000000003`,
    '',
  ]);
});

test('the cost per request ignores requests that did not reach a provider', () => {
  assert.equal(formatCostPerProviderRequest({ cost_nano_usd: 3_300_000, upstream_requests: 3 }), '$0.0011');
  assert.equal(formatCostPerProviderRequest({ cost_nano_usd: 0, upstream_requests: 0 }), '–');
});
