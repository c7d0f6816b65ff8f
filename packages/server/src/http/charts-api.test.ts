import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { insertBackgroundResponse } from '../store/background-responses.ts';
import { storeSetting } from '../store/settings.ts';
import { API_TEST_NOW, listResponseEntries, type RunningApi, runApi } from './test/running-api.ts';

const HOUR_MS = 3_600_000;

let api: RunningApi;
let key: string;
let named: string;
before(async () => {
  api = await runApi();
  key = (await api.addKey('acme', { scopes: ['read'] })).key;
  named = (await api.addKey('acme', { name: 'nightly' })).id;
  const add = (n: number, columns: object) =>
    api.addExchange('acme', { id: `exc_${n}`, created_at: API_TEST_NOW - n * HOUR_MS, ...columns });
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

test('a summary covers the last 24 hours of one organization by default', async () => {
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

test('short ranges use minutes, and any range is exact to the request', async () => {
  const range = 'from=2026-11-21T10:59:30Z&to=2026-11-21T11:00:30Z';
  const { from, to, requests, latency_ms } = await get(`summary?${range}`);
  assert.deepEqual([from, to, requests], ['2026-11-21T10:59:30.000Z', '2026-11-21T11:00:30.000Z', 1]);
  assert.equal((await get('summary?from=2026-11-21T11:00:00.001Z')).requests, 0);
  assert.equal((await get('summary?from=2026-11-20T06:00:00.001Z')).requests, 3);
  assert.equal(latency_ms?.mean, 100);
  // 100 ms is in the bucket from 80 to 160 ms.
  assert.equal(latency_ms?.p50, 120);
});

test('a chart has a value for every interval and a series for every value of the dimension', async () => {
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

test('days are in a time zone: a date is its start, and a day has the length that it has there', async () => {
  const days = await get(
    'timeseries?metric=requests&interval=day&from=2026-10-24&to=2026-10-27&timezone=Europe/Berlin&compare=previous',
  );
  assert.deepEqual(
    [days.timezone, days.at, days.to],
    [
      'Europe/Berlin',
      ['2026-10-23T22:00:00.000Z', '2026-10-24T22:00:00.000Z', '2026-10-25T23:00:00.000Z'],
      '2026-10-26T23:00:00.000Z',
    ],
  );
  assert.equal(days.previous?.from, '2026-10-20T22:00:00.000Z');
  assert.equal((await get('summary')).timezone, 'UTC');
  // 06:00 and 09:00 UTC are one day in Europe and two where the day begins at 07:15 UTC.
  const split = await get('timeseries?metric=requests&interval=day&from=2026-11-20&timezone=Asia/Kolkata');
  assert.deepEqual(split.series?.[0]?.values, [1, 3]);
  for (const path of ['summary?timezone=Mars/Olympus', 'summary?from=yesterday', 'export?from=2026-13-01']) {
    const { status } = await api.call('GET', `/api/analytics/${path}`, { key });
    assert.equal(status, 400, path);
  }
});

test('the largest values are first, and requests without a value are null', async () => {
  const models = await get('top?by=model&metric=cost_nano_usd');
  assert.deepEqual(
    Object.values(models.data ?? {}).map(({ value, requests }) => [value, requests]),
    [
      ['openai/gpt-5-mini', 1],
      ['openai/gpt-5', 1],
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

test('a chart that cannot be computed is rejected with the reason', async () => {
  const table: readonly [string, string][] = [
    ['summary?from=2026-11-21T12:00:00Z&to=2026-11-21T12:00:00Z', 'from'],
    ['summary?colour=red', 'colour'],
    ['top?by=colour', 'by'],
    ...['constructor', 'toString', 'hasOwnProperty'].map((name): [string, string] => [
      `summary?${name}=x`,
      name,
    ]),
    ['values?field=weather', 'field'],
    ['values', 'field'],
    ['annotations?colour=red', 'colour'],
    ['months/2026-11.csv', 'month'],
    ['months/November.csv', 'month'],
    ['summary?compare=never', 'compare'],
    ['top?by=model&metric=latency_p95_ms', 'metric'],
    ['timeseries', 'metric'],
    ['timeseries?metric=requests&interval=week', 'interval'],
    ['timeseries?metric=requests&interval=minute&from=2026-11-01T00:00:00Z', 'interval'],
    ['timeseries?metric=requests&from=2020-01-01T00:00:00Z', 'interval'],
  ];
  for (const [path, param] of table) {
    const { status, body } = await api.call('GET', `/api/analytics/${path}`, { key });
    assert.deepEqual([status, body.error?.param], [400, param], path);
  }
});

test('with any filter, totals, charts and values count the same requests', async () => {
  const one = [
    'model=gpt-5',
    'model=!gpt-5',
    'model=openai/gpt-5',
    'key=nightly',
    `key=!${named}`,
    'status=error',
    'status=!5xx',
    'status=503',
    'outcome=upstream_error',
    'outcome=!succeeded',
    'state=failed',
    'provider=!*',
    'provider=*',
    'attempts=>=1',
    'latency_ms=<=100',
    'first_token_ms=..400',
    'cost_nano_usd=>=1',
    'stream=false',
    'dropped=false',
    'metadata.project=blue',
    'metadata.project=!blue',
    'team=!*',
    'end_user=!anna',
    'client=*',
    'surface=chat',
  ];
  const two = one.flatMap((first, at) => one.slice(at + 1).map((second) => `${first}&${second}`));
  const chosen = [...one, ...two.filter((_, at) => at % 7 === 0)].filter(
    (query) => new Set(query.split('&').map((part) => part.split('=')[0])).size === query.split('&').length,
  );
  const time = 'from=2026-11-20T00:30:00Z&to=2026-11-21T12:00:00Z';
  for (const query of chosen) {
    const rows = listResponseEntries((await get(`requests?${query}&${time}&limit=100`)).data).length;
    const { requests } = await get(`summary?${query}&${time}`);
    assert.equal(requests, rows, `summary: ${query}`);
    const { series } = await get(`timeseries?metric=requests&interval=hour&${query}&${time}`);
    const counted = listResponseEntries(series).flatMap(({ values }) => values ?? []);
    assert.equal(
      counted.reduce<number>((sum, value) => sum + Number(value), 0),
      rows,
      `timeseries: ${query}`,
    );
    const models = listResponseEntries((await get(`top?by=model&${query}&${time}`)).data);
    assert.equal(
      models.reduce((sum, model) => sum + Number(model.requests), 0),
      rows,
      `top: ${query}`,
    );
  }
});

test('every response states until when it is complete and since when data is retained', async () => {
  for (const path of [
    'summary',
    'top?by=model',
    'timeseries?metric=requests',
    'values?field=model',
    'annotations',
  ]) {
    const { complete_until, retained_from } = await get(path);
    assert.equal(complete_until, '2026-11-21T12:00:00.000Z', path);
    assert.equal(retained_from, '2026-08-23T12:00:00.000Z', path);
  }
});

test('values are compared with those of the previous range', async () => {
  const compared = await get('summary?compare=previous');
  assert.deepEqual(
    [compared.requests, compared.previous?.requests, compared.previous?.from],
    [3, 1, '2026-11-19T12:00:00.000Z'],
  );
  const models = await get('top?by=model&compare=previous');
  assert.deepEqual(
    listResponseEntries(models.data).map(({ value, previous }) => [value, previous?.requests ?? null]),
    [
      [null, null],
      ['openai/gpt-5', 1],
      ['openai/gpt-5-mini', null],
    ],
  );
  const range = 'from=2026-11-21T00:00:00Z&to=2026-11-22T00:00:00Z';
  const days = await get(`timeseries?metric=requests&interval=day&group_by=model&compare=previous&${range}`);
  assert.deepEqual(days.previous?.at, ['2026-11-20T00:00:00.000Z']);
  assert.deepEqual(
    listResponseEntries(days.previous?.series).map(({ value, values }) => [value, values]),
    [
      [null, [0]],
      ['openai/gpt-5', [1]],
      ['openai/gpt-5-mini', [0]],
    ],
  );
});

test('several values of a dimension are added, and values with ! are excluded', async () => {
  assert.equal((await get('summary?model=gpt-5&model=gpt-5-mini')).requests, 2);
  assert.equal((await get('summary?model=!gpt-5')).requests, 2);
  assert.equal((await get('summary?status_class=!2xx')).requests, 1);
  assert.equal((await get(`top?by=model&key=!${named}`)).data?.[0]?.requests, 1);
  assert.equal((await get('summary?state=failed')).requests, 1);
  assert.equal((await get('summary?state=complete&state=failed')).requests, 3);
});

test('values of a dimension are found by their prefix, and keys by name', async () => {
  const found = async (query: string) =>
    listResponseEntries((await get(`values?${query}`)).data).map(({ value, requests }) => [value, requests]);
  assert.deepEqual(await found('field=model'), [
    [null, 1],
    ['openai/gpt-5', 1],
    ['openai/gpt-5-mini', 1],
  ]);
  assert.deepEqual(await found('field=model&q=GPT-5-M'), [['openai/gpt-5-mini', 1]]);
  assert.deepEqual(await found('field=model&q=openai/gpt-5-m'), [['openai/gpt-5-mini', 1]]);
  assert.deepEqual(await found('field=model&q=%25'), []);
  assert.deepEqual(await found('field=key&q=night'), [[named, 2]]);
  assert.deepEqual(await found('field=key&q=nobody'), []);
  assert.deepEqual(await found('field=metadata.project'), [['blue', 1]]);
  assert.deepEqual(await found('field=state'), [
    ['complete', 2],
    ['failed', 1],
  ]);
  const first = await get('values?field=model&limit=1');
  assert.deepEqual([listResponseEntries(first.data).length, first.has_more], [1, true]);
});

test('changes are listed in the range in which they happened', async () => {
  const manager = await api.addKey('acme');
  await api.call('POST', '/api/management/limits', {
    key: manager.key,
    body: { name: 'org-rpm', scope: 'org', rpm: 5 },
  });
  const { data } = await get(
    `annotations?to=${encodeURIComponent(new Date(API_TEST_NOW + 60_000).toISOString())}`,
  );
  assert.deepEqual(
    [data?.[0]?.kind, data?.[0]?.text, data?.[0]?.actor, data?.[0]?.subject?.kind, data?.[0]?.subject?.name],
    ['change', 'limits.create', manager.id, 'limits', 'org-rpm'],
  );
  assert.deepEqual(listResponseEntries((await get('annotations?to=2026-11-20T00:00:00Z')).data), []);
});

test('a deployment annotation is listed with the events that may affect traffic, and unrelated events are not', async () => {
  const manager = await api.addKey('acme', { name: 'deployer' });
  const noted = await api.call('POST', '/api/analytics/annotations', {
    key: manager.key,
    body: { text: ' web 4.2 deployed ' },
  });
  assert.deepEqual([noted.status, noted.body['text']], [201, 'web 4.2 deployed']);
  await api.call('POST', '/api/management/teams', { key: manager.key, body: { id: 'web', name: 'Web' } });
  const to = encodeURIComponent(new Date(API_TEST_NOW + 60_000).toISOString());
  const data = listResponseEntries((await get(`annotations?about=traffic&to=${to}`)).data);
  const notes = data.filter(({ kind }) => String(kind) === 'note');
  assert.deepEqual(
    notes.map(({ text, actor_name }) => [text, actor_name]),
    [['web 4.2 deployed', 'deployer']],
  );
  assert.ok(data.some(({ text }) => String(text) === 'limits.create'));
  assert.ok(!data.some(({ text }) => String(text).startsWith('teams.')));
});

test('a completed month is a file with the sum of its requests', async () => {
  await api.addExchange('acme', {
    id: 'exc_october',
    created_at: Date.UTC(2026, 9, 31, 23, 59),
    key_id: named,
    cost_nano_usd: 1_500_000_000,
  });
  const answer = await api.call('GET', '/api/analytics/months/2026-10.csv', { key });
  assert.equal(answer.headers['content-disposition'], 'attachment; filename="floe-acme-2026-10.csv"');
  const elsewhere = await api.call('GET', '/api/analytics/months/2026-10.csv?timezone=Asia/Tokyo', { key });
  assert.equal(elsewhere.text.trimEnd().split('\r\n').length, 1, 'there it was November already');
  const lines = answer.text.trimEnd().split('\r\n');
  const [head = '', row = ''] = lines;
  const cells = new Map(head.split(',').map((name, at) => [name, row.split(',')[at]]));
  assert.equal(lines.length, 2);
  assert.deepEqual(
    ['month', 'key_name', 'model', 'requests', 'cost_usd'].map((name) => cells.get(name)),
    ['2026-10', 'nightly', 'openai/gpt-5', '1', '1.5'],
  );
  const booked = async () => {
    const { text } = await api.call('GET', '/api/analytics/months/2026-10.csv', { key });
    const [names = [], ...rows] = text
      .trimEnd()
      .split('\r\n')
      .map((line) => line.split(','));
    const wanted = ['team', 'cost_center', 'requests', 'cost_usd'].map((name) => names.indexOf(name));
    return rows.map((cells) => wanted.map((at) => cells[at]).join(' '));
  };
  const manager = (await api.addKey('acme')).key;
  const change = (method: string, path: string, body: object) =>
    api.call(method, `/api/management/${path}`, { key: manager, body });
  for (const id of ['shop', 'apps']) await change('POST', 'teams', { id, cost_center: `c-${id}` });
  await api.addExchange('acme', {
    id: 'exc_of_shop',
    created_at: Date.UTC(2026, 9, 1),
    key_id: named,
    team: 'shop',
    cost_nano_usd: 250_000_000,
  });
  api.setNow(API_TEST_NOW + 1);
  await change('PATCH', `keys/${named}`, { name: 'weekly' });
  assert.deepEqual(await booked(), ['  2 1.75'], 'a key that never moved is not read request by request');
  const keptFrom = (at: number) =>
    api.database.transaction((writer) => storeSetting(writer, 'audit_kept_from', String(at)));
  await keptFrom(API_TEST_NOW);
  assert.deepEqual(await booked(), ['  1 1.5', 'shop c-shop 1 0.25'], 'nobody knows whether it moved');
  await keptFrom(0);
  await change('PATCH', `keys/${named}`, { team: 'apps' });
  assert.deepEqual(await booked(), ['  1 1.5', 'shop c-shop 1 0.25'], 'as they were then');
  const gone = await api.call('GET', '/api/analytics/months/2026-01.csv', { key });
  assert.equal(gone.status, 404);
});

test('a month is not exported while its requests are in progress, or after some were deleted', async () => {
  const export10 = async () => {
    const { status, body } = await api.call('GET', '/api/analytics/months/2026-10.csv', { key });
    return status === 200 ? 200 : [status, body.error?.code];
  };
  const end = Date.UTC(2026, 10, 1);
  api.setNow(end + 3_599_999);
  assert.deepEqual(await export10(), [400, 'invalid_request']);
  api.setNow(end + 3_600_000);
  assert.equal(await export10(), 200);
  const row = { id: 'exc_bg', response_id: 'resp_bg', origin: 'o', owner: 'p', exchange_json: '{}' };
  const times = { created_at: end - 1, expires_at: end, owner_until: 0, next_at: 0, attempts: 0 };
  const ofOrg = { ...row, ...times, org_id: 'acme' };
  await api.database.transaction((writer) => insertBackgroundResponse(writer, ofOrg));
  assert.deepEqual(await export10(), [400, 'invalid_request']);
  await api.database.transaction((writer) => writer.deleteFrom('background_responses').execute());
  assert.equal(await export10(), 200);
  const keepFrom = (at: number) =>
    api.database.transaction((writer) => storeSetting(writer, 'requests_kept_from', String(at)));
  await keepFrom(Date.UTC(2026, 9, 2));
  assert.deepEqual(await export10(), [404, 'not_found']);
  await keepFrom(0);
  api.setNow(API_TEST_NOW);
});

test('a parameter named like an Object property is rejected like any unknown parameter', async () => {
  const paths = ['summary', 'timeseries?metric=requests', 'top?by=model', 'values?field=model', 'requests'];
  for (const path of [...paths, 'export', 'annotations', 'tail?after=1-1'])
    for (const name of ['nonsense', ...Object.getOwnPropertyNames(Object.prototype)]) {
      const asked = `/api/analytics/${path}${path.includes('?') ? '&' : '?'}${name}=1`;
      const { status, text } = await api.call('GET', asked, { key });
      assert.equal(status, 400, `${asked}: ${text.slice(0, 200)}`);
    }
});
