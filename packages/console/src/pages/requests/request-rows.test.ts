import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RequestRow } from '@floe/contract/api/analytics';
import {
  buildAttemptSegments,
  computeOutputSpeed,
  describeInterruption,
  describePromptCacheSaving,
} from './request-details.ts';
import { listCellFilters, listRowFilters } from './request-fields.ts';
import {
  findUnpricedModel,
  formatRequestTime,
  getOutcomeDisplay,
  getRequestModels,
  listMetadataKeys,
  mergeRequestRows,
  toAbsoluteTimeRange,
} from './request-rows.ts';

const ROW: RequestRow = {
  id: 'exc_1',
  created_at: '2026-11-21T12:00:00.000Z',
  surface: 'chat',
  route_mode: 'unified',
  key_id: 'key_1',
  key_name: 'ci',
  team: null,
  owner: null,
  end_user: null,
  client: null,
  session: null,
  model_requested: 'openai/gpt-5',
  provider: 'openai',
  model: 'gpt-5',
  stream: true,
  status: 200,
  state: 'complete',
  outcome: 'succeeded',
  error_code: null,
  error_source: null,
  finish_reason: 'stop',
  attempt_count: 1,
  usage: {
    input_tokens: 10,
    cached_tokens: null,
    cache_write_tokens: null,
    output_tokens: 100,
    reasoning_tokens: null,
    billed_units: {},
    service_tier: null,
    source: 'provider',
  },
  cost_nano_usd: 1,
  cost_usd: '0.000000001',
  cost_source: 'catalog',
  saved_nano_usd: null,
  prompt_saved_nano_usd: null,
  cache: null,
  latency_ms: 2000,
  first_token_ms: 1000,
  overhead_ms: 1,
  request_bytes: 100,
  response_bytes: 400,
  metadata: {},
  dropped: [],
};

test('every end of a request has a shape, and a refusal says why in words', () => {
  const of = (changes: Partial<RequestRow>) => getOutcomeDisplay({ ...ROW, ...changes });
  assert.deepEqual(of({}), { state: 'healthy', status: '200', reason: null });
  assert.deepEqual(of({ outcome: 'blocked', status: 429, error_code: 'rate_limit_exceeded' }), {
    state: 'blocked',
    status: '429',
    reason: 'rate limit',
  });
  assert.equal(of({ outcome: 'upstream_error', status: 429 }).state, 'failing');
  assert.equal(of({ outcome: 'client_error', status: 400 }).state, 'failing');
  assert.equal(of({ outcome: 'cached' }).state, 'cached');
  assert.equal(of({ outcome: 'partial' }).state, 'partial');
  assert.equal(of({ outcome: 'aborted', status: 499 }).status, 'Client disconnected');
  const code = 'some_new_code';
  assert.equal(of({ outcome: 'upstream_error', status: 502, error_code: code }).reason, 'some new code');
});

test('the model that served is told only when it is another than the one asked for', () => {
  assert.equal(getRequestModels(ROW).served, null);
  assert.equal(getRequestModels({ ...ROW, model_requested: 'gpt-5' }).served, null);
  assert.equal(getRequestModels({ ...ROW, model_requested: 'smart' }).served, 'openai/gpt-5');
  assert.equal(
    getRequestModels({ ...ROW, model_requested: 'smart', model: null, provider: null }).served,
    null,
  );
});

test('output speed is of the time after the first token, and unknown rather than infinite', () => {
  assert.equal(computeOutputSpeed(ROW), 100);
  assert.equal(computeOutputSpeed({ ...ROW, first_token_ms: 2000 }), null);
  assert.equal(computeOutputSpeed({ ...ROW, first_token_ms: null }), null);
});

test('pieces of an attempt stay inside the bar, whatever the clocks say', () => {
  const start = Date.parse(ROW.created_at);
  const attempt = {
    n: 1,
    provider: 'openai',
    model: 'gpt-5',
    credential: null,
    started_at: ROW.created_at,
    status: 200,
    error: null,
    first_token_ms: 500,
    duration_ms: 1000,
  };
  assert.deepEqual(buildAttemptSegments(attempt, start, 2000), [
    { kind: 'first_token', from: 0, to: 0.25 },
    { kind: 'streaming', from: 0.25, to: 0.5 },
  ]);
  for (const skewed of [start + 5000, start - 5000])
    for (const { from, to } of buildAttemptSegments(attempt, skewed, 10))
      assert.ok(from >= 0 && to <= 1 && from <= to);
  assert.deepEqual(
    buildAttemptSegments({ ...attempt, status: 429, first_token_ms: null, error: 'x' }, start, 1000),
    [{ kind: 'failure', from: 0, to: 1 }],
  );
});

test('rows that arrive are put before the known ones, and none is doubled', () => {
  const later = { ...ROW, id: 'exc_2', created_at: '2026-11-21T12:00:01.000Z' };
  const again = { ...ROW, state: 'partial' };
  assert.deepEqual(
    mergeRequestRows([ROW], [again, later]).map(({ id, state }) => [id, state]),
    [
      ['exc_2', 'complete'],
      ['exc_1', 'partial'],
    ],
  );
  assert.equal(mergeRequestRows([ROW], [later], 1).length, 1);
});

test('a row can be filtered by what it shows, in the parameters and the words of the API', () => {
  const row = {
    ...ROW,
    state: 'partial',
    error_code: 'upstream_stream_broken',
    metadata: { team: 'growth', n: 7, odd: '!x' },
  };
  assert.deepEqual(listCellFilters(ROW, 'status'), [{ name: 'status', value: '200' }]);
  assert.deepEqual(listCellFilters(row, 'status'), [{ name: 'state', value: 'partial' }]);
  assert.deepEqual(listCellFilters(row, 'metadata.team'), [{ name: 'metadata.team', value: 'growth' }]);
  assert.deepEqual(listCellFilters(row, 'latency'), []);
  assert.deepEqual(
    listRowFilters(row).map(({ name, value }) => `${name}=${value}`),
    [
      'state=partial',
      'error_code=upstream_stream_broken',
      'model=openai/gpt-5',
      'key=ci',
      'provider=openai',
      'metadata.team=growth',
      'metadata.odd==!x',
    ],
  );
  assert.deepEqual(listMetadataKeys([ROW, row]), ['n', 'odd', 'team']);
});

test('a time that is fixed ends with the newest row that is shown, not with the opening of the list', () => {
  const opened = { from: new Date(0), to: new Date(1_000), range: '1h' };
  const { to } = toAbsoluteTimeRange(opened, { created_at: '1970-01-01T01:00:00.000Z' }, new Date(5_000_000));
  assert.equal(to.getTime(), 3_600_001);
  assert.equal(toAbsoluteTimeRange(opened, undefined, new Date(5_000)).to.getTime(), 5_000);
  assert.equal(toAbsoluteTimeRange({ ...opened, range: null }, ROW, new Date()).to.getTime(), 1_000);
});

test('a request that broke off says when, by whom and what its client has', () => {
  const said = (changes: Partial<RequestRow>) => describeInterruption({ ...ROW, ...changes })?.text;
  assert.equal(said({}), undefined);
  assert.equal(
    said({ state: 'partial', error_source: 'upstream' }),
    'openai ended the response after 2.00 s. The client received 100 tokens and an error event.',
  );
  assert.match(
    said({ state: 'partial', error_source: 'gateway', stream: false }) ?? '',
    /^Floe ended the response .+ tokens\.$/,
  );
  assert.match(
    said({ state: 'aborted', first_token_ms: null }) ?? '',
    /disconnected after 2\.00 s, before the first token/,
  );
});

test('the time of a request that is not from today has its day', () => {
  const now = new Date('2026-11-29T12:00:00Z');
  const text = (at: string, zone = 'UTC') => formatRequestTime(new Date(at), zone, now, true);
  assert.equal(text('2026-11-29T09:00:01.665Z'), '09:00:01.665');
  assert.equal(text('2026-11-28T09:00:01.665Z'), '28 Nov, 09:00');
  assert.equal(text('2026-11-22T09:00:01Z'), '22 Nov, 09:00');
  assert.equal(text('2025-11-29T09:00:01Z'), '29 Nov 2025, 09:00');
  assert.equal(text('2026-11-28T23:30:00Z', 'Asia/Tokyo'), '08:30:00.000');
  assert.equal(formatRequestTime(now, 'UTC', now), '12:00:00');
});

test('only what was used and has no price is unpriced', () => {
  const of = (changes: Partial<RequestRow>) => findUnpricedModel({ ...ROW, ...changes });
  assert.equal(of({ cost_nano_usd: null }), 'openai/gpt-5');
  assert.equal(of({}), null);
  assert.equal(of({ cost_nano_usd: 0, state: 'cached' }), null);
  assert.equal(of({ cost_nano_usd: null, state: 'blocked', provider: null, model: null }), null);
});

test('what the prompt cache saved is told in words, and what it cost', () => {
  const usage = { ...ROW.usage, cached_tokens: 12_000 };
  assert.equal(describePromptCacheSaving(ROW), undefined);
  assert.match(
    describePromptCacheSaving({ ...ROW, usage, prompt_saved_nano_usd: 32_400_000 }) ?? '',
    /12,000.* saved \$0\.0324/,
  );
  assert.match(
    describePromptCacheSaving({ ...ROW, usage, prompt_saved_nano_usd: -1_000_000 }) ?? '',
    /increased the cost of this request by \$0\.001/,
  );
});

test('client and session are filters of a row', () => {
  const filters = listRowFilters({ ...ROW, client: 'codex', session: 's-1' });
  assert.ok(filters.some(({ name, value }) => name === 'client' && value === 'codex'));
  assert.ok(filters.some(({ name, value }) => name === 'session' && value === 's-1'));
});
