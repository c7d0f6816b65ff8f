import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ExchangeAttempt, ExchangeDecision } from '@floe/contract/api/attempts';
import { API_TEST_NOW, type RunningApi, runApi } from './test/running-api.ts';

const REQUESTS = '/api/analytics/requests';
const attempts: ExchangeAttempt[] = [
  {
    n: 1,
    provider: 'openai',
    model: 'gpt-5',
    credential: 'default',
    started_at: '2026-11-21T12:00:00.001Z',
    status: 429,
    error: 'upstream_rate_limited',
    first_token_ms: null,
    duration_ms: 12.5,
  },
];
const decisions: ExchangeDecision[] = [
  { step: 'route', outcome: 'anthropic/claude', reason: 'openai answered 429' },
];

let api: RunningApi;
let key: string;
before(async () => {
  api = await runApi();
  key = (await api.addKey('acme', { scopes: ['read'] })).key;
  await api.addKey('acme', { id: 'key_9', name: 'editor' });
  await api.addExchange('acme', {
    id: 'exc_a',
    created_at: API_TEST_NOW - 3000,
    attempts_json: JSON.stringify(attempts),
    decisions_json: JSON.stringify(decisions),
    metadata_json: '{"project":"blue","n":7}',
    dropped_json: '["logit_bias"]',
    stream: 1,
  });
  await api.addExchange('acme', {
    id: 'exc_b',
    created_at: API_TEST_NOW - 2000,
    route_mode: 'ide',
    key_id: 'key_9',
    key_name: 'editor',
    provider: 'anthropic',
    model: 'claude-sonnet-4-5',
    status: 502,
    state: 'failed',
    error_code: 'upstream_error',
    error_source: 'upstream',
    cost_nano_usd: null,
    metadata_json: '{"project":"green"}',
  });
  await api.addExchange('acme', {
    id: 'exc_c',
    created_at: API_TEST_NOW - 1000,
    status: 429,
    state: 'blocked',
    cost_nano_usd: 0,
  });
  await api.addExchange('other', { id: 'exc_x' });
});
after(() => api.close());

const found = async (query: string) => {
  const { status, body } = await api.call('GET', `${REQUESTS}?${query}`, { key });
  return status === 200
    ? Object.values(body.data ?? {}).map(({ id }) => id)
    : `${status} ${body.error?.param}`;
};

test('filters restrict the list of one organization, newest first', async () => {
  const at = (ms: number) => encodeURIComponent(new Date(ms).toISOString());
  const table: readonly [string, readonly string[] | string][] = [
    ['', ['exc_c', 'exc_b', 'exc_a']],
    ['route_mode=ide', ['exc_b']],
    ['key=editor', ['exc_b']],
    ['key=key_9', ['exc_b']],
    ['model=claude-sonnet-4-5', ['exc_b']],
    ['model=openai/gpt-5&provider=anthropic', ['exc_b']],
    ['status=429', ['exc_c']],
    ['status=5xx', ['exc_b']],
    ['status=2xx', ['exc_a']],
    ['state=blocked', ['exc_c']],
    ['outcome=blocked', ['exc_c']],
    [`from=${at(API_TEST_NOW - 2000)}`, ['exc_c', 'exc_b']],
    [`to=${at(API_TEST_NOW - 2000)}`, ['exc_a']],
    ['metadata.project=blue', ['exc_a']],
    ['metadata.n=7&metadata.project=blue', ['exc_a']],
    ['metadata.project=red', []],
    ['status=abc', '400 status'],
    ['status=600', '400 status'],
    ['route_mode=relay', []],
    ['status=429&status=5xx', ['exc_c', 'exc_b']],
    ['status=!2xx', ['exc_c', 'exc_b']],
    ['status=400..499', ['exc_c']],
    ['provider=!anthropic&state=!blocked', ['exc_a']],
    ['key=editor&key=nobody', ['exc_b']],
    ['error_code=*', ['exc_b']],
    ['error_code=!*', ['exc_c', 'exc_a']],
    ['metadata.project=blue&metadata.project=green', ['exc_b', 'exc_a']],
    ['metadata.project=!blue', ['exc_c', 'exc_b']],
    ['attempts=>=1&state=complete', ['exc_a']],
    ['latency_ms=<0', []],
    ['cost_nano_usd=1..', ['exc_a']],
    ['stream=true', ['exc_a']],
    ['dropped=true', ['exc_a']],
    ['latency_ms=fast', '400 latency_ms'],
    ['stream=yes', '400 stream'],
    ['metadata=x', '400 metadata'],
    ['metadat.x=y', '400 metadat.x'],
    ['from=yesterday', '400 from'],
    ['owner=%00', '400 owner'],
    ['metadata.project=a%00', '400 metadata.project'],
    [Array.from({ length: 21 }, (_, n) => `metadata.m${n}=x`).join('&'), '400 metadata.m20'],
  ];
  for (const [query, expected] of table) assert.deepEqual(await found(query), expected, query);
});

test('a row has costs in nano-USD and as exact decimal text, and usage with its source', async () => {
  const { body } = await api.call('GET', `${REQUESTS}/exc_a`, { key });
  assert.deepEqual([body.cost_nano_usd, body.cost_usd], [12_500_000, '0.0125']);
  assert.deepEqual(body.usage, {
    input_tokens: 10,
    cached_tokens: 0,
    cache_write_tokens: null,
    output_tokens: 5,
    reasoning_tokens: null,
    billed_units: {},
    service_tier: null,
    source: 'provider',
  });
  assert.deepEqual(
    [body.stream, body.metadata, body.dropped],
    [true, { project: 'blue', n: 7 }, ['logit_bias']],
  );
  const unpriced = await api.call('GET', `${REQUESTS}/exc_b`, { key });
  assert.deepEqual([unpriced.body.cost_nano_usd, unpriced.body.cost_usd], [null, null]);
});

test('a request has its attempts and decisions', async () => {
  const { body } = await api.call('GET', `${REQUESTS}/exc_a`, { key });
  assert.deepEqual(body.attempts, attempts);
  assert.deepEqual(body.decisions, decisions);
  assert.equal((await api.call('GET', `${REQUESTS}/exc_x`, { key })).body.error?.code, 'not_found');
});

test('an export has all rows of the list in its order, as CSV or NDJSON', async () => {
  const lines = async (query: string) =>
    (await api.call('GET', `/api/analytics/export?${query}`, { key })).text.trimEnd().split(/\r?\n/);
  const [head = '', ...rows] = await lines('state=!blocked');
  assert.deepEqual(head.split(',').slice(0, 2), ['id', 'created_at']);
  assert.deepEqual(
    rows.map((row) => row.split(',')[0]),
    ['exc_b', 'exc_a'],
  );
  const json = await lines('format=ndjson&status=429&status=5xx');
  assert.deepEqual(
    json.map((line) => JSON.parse(line).id),
    ['exc_c', 'exc_b'],
  );
  assert.deepEqual(
    JSON.parse(json[0] ?? ''),
    (await api.call('GET', `${REQUESTS}?status=429`, { key })).body.data?.[0],
  );
});
