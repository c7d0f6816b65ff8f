import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { NOW, type RunningApi, runApi } from './test/running-api.ts';

const HOUR_MS = 3_600_000;

let api: RunningApi;
let key: string;
let named: string;
before(async () => {
  api = await runApi();
  key = (await api.addKey('acme', { scopes: ['read'] })).key;
  named = (await api.addKey('acme', { name: 'nightly' })).id;
  const add = (n: number, columns: object) =>
    api.addExchange('acme', { id: `exc_${n}`, created_at: NOW - n * HOUR_MS, ...columns });
  await add(1, { latency_ms: 100, first_token_ms: null, metadata_json: '{"project":"blue"}' });
  await add(2, { key_id: named, model: 'gpt-5-mini', latency_ms: 100, cost_nano_usd: 99_000_000 });
  await add(3, {
    key_id: named,
    status: 503,
    state: 'failed',
    provider: null,
    model: null,
    cost_nano_usd: null,
  });
  await add(30, { latency_ms: 100 });
  await api.addExchange('other', { id: 'exc_x' });
});
after(() => api.close());

const get = async (path: string) => {
  const { status, body } = await api.call('GET', `/api/analytics/${path}`, { key });
  assert.equal(status, 200, `${path}: ${JSON.stringify(body)}`);
  return body;
};

test('a summary adds up the last day of one org, in whole hours, unless told otherwise', async () => {
  const all = await get('summary');
  assert.deepEqual(
    [all.requests, all.errors, all.input_tokens, all.output_tokens, all.cost_usd],
    [3, 1, 30, 15, '0.1115'],
  );
  assert.deepEqual([all.from, all.to], ['2026-11-20T12:00:00.000Z', '2026-11-21T12:00:00.000Z']);
  assert.equal((await get('summary?model=gpt-5-mini')).requests, 1);
  assert.equal((await get('summary?status_class=5xx')).errors, 1);
  assert.equal((await get('summary?metadata.project=blue')).requests, 1);
  const nothing = await get('summary?surface=messages');
  assert.deepEqual([nothing.requests, nothing.cost_usd, nothing.latency_ms?.p95], [0, '0', null]);
  assert.equal((await get('summary?from=2026-11-20T00:00:00Z')).requests, 4);
});

test('short ranges are counted in minutes', async () => {
  const range = 'from=2026-11-21T10:59:30Z&to=2026-11-21T11:00:30Z';
  const { from, to, requests, latency_ms } = await get(`summary?${range}`);
  assert.deepEqual([from, to, requests], ['2026-11-21T10:59:00.000Z', '2026-11-21T11:01:00.000Z', 1]);
  assert.equal(latency_ms?.mean, 100);
  // 100 ms is in the bucket from 80 to 160 ms.
  assert.equal(latency_ms?.p50, 120);
});

test('a chart has a value for every interval of its range, and a series per value of its grouping', async () => {
  const total = await get('timeseries?metric=requests&from=2026-11-21T08:00:00Z&to=2026-11-21T12:00:00Z');
  assert.deepEqual(
    total.at,
    [8, 9, 10, 11].map((hour) => new Date(Date.UTC(2026, 10, 21, hour)).toISOString()),
  );
  assert.deepEqual(total.series, [{ value: null, name: null, other: false, values: [0, 1, 1, 1] }]);
  const byKey = await get('timeseries?metric=cost_nano_usd&group_by=key&from=2026-11-21T10:00:00Z&limit=1');
  assert.deepEqual(byKey.series, [
    { value: named, name: 'nightly', other: false, values: [99_000_000, 0] },
    { value: null, name: null, other: true, values: [0, 12_500_000] },
  ]);
  const p95 = await get('timeseries?metric=latency_p95_ms&interval=day&from=2026-11-19T00:00:00Z');
  assert.equal(p95.at?.length, 3);
  assert.equal(p95.series?.[0]?.values?.[0], null);
});

test('the largest values come first; requests without one are named null', async () => {
  const models = await get('top?by=model&metric=cost_nano_usd');
  assert.deepEqual(
    Object.values(models.data ?? {}).map(({ value, requests }) => [value, requests]),
    [
      ['gpt-5-mini', 1],
      ['gpt-5', 1],
      [null, 1],
    ],
  );
  const ofKey = await get(`top?by=model&key=${named}&limit=1`);
  assert.equal(Object.keys(ofKey.data ?? {}).length, 1);
  const keys = await get('top?by=key');
  assert.deepEqual(
    [keys.data?.[0]?.value, keys.data?.[0]?.name, keys.data?.[0]?.requests],
    [named, 'nightly', 2],
  );
});

test('a chart that is not counted is refused, naming what stands in its way', async () => {
  const table: readonly [string, string][] = [
    ['summary?from=2026-11-21T12:00:00Z&to=2026-11-21T12:00:00Z', 'from'],
    ['summary?model=gpt-5&key=key_1', 'key'],
    ['summary?colour=red', 'colour'],
    ['top?by=owner', 'by'],
    ['top?by=model&metric=latency_p95_ms', 'metric'],
    ['top?by=model&metadata.project=blue', 'metadata.project'],
    ['timeseries', 'metric'],
    ['timeseries?metric=requests&interval=week', 'interval'],
    ['timeseries?metric=requests&interval=minute&from=2026-11-01T00:00:00Z', 'interval'],
    ['timeseries?metric=requests&from=2020-01-01T00:00:00Z', 'interval'],
    ['timeseries?metric=latency_p95_ms&group_by=model&key=key_1', 'metric'],
    ['timeseries?metric=requests&group_by=model&metadata.project=blue', 'metadata.project'],
  ];
  for (const [path, param] of table) {
    const { status, body } = await api.call('GET', `/api/analytics/${path}`, { key });
    assert.deepEqual([status, body.error?.param], [400, param], path);
  }
});
