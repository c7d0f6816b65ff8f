import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { enqueueAlert } from '../alerts/alert.ts';
import { forecastBudgetExhaustion, forecastSpend } from '../guardrails/spend-forecast.ts';
import { insertBreakerChange } from '../store/breaker-changes.ts';
import { API_TEST_NOW, listResponseEntries, type RunningApi, runApi } from './test/running-api.ts';

const HOUR_MS = 3_600_000;
const CIRCUIT = { orgId: 'acme', provider: 'main', model: 'large', credential: 'default' } as const;
const CALM = {
  waitMs: 0,
  unforcedWaitMs: 0,
  probe: null,
  forced: null,
  calls: { ok: 0, failed: 0, slow: 0 },
} as const;

let api: RunningApi;
let key: string;
let refusal: { atMs: number; problem: string } | null = null;
let shared: 'ok' | 'unavailable' | 'memory' = 'ok';
before(async () => {
  api = await runApi({
    breakers: {
      list: (orgId) =>
        orgId === 'acme' ? [{ ...CIRCUIT, ...CALM, state: 'open', reason: '5 of 5 failed' }] : [],
    },
    processStatus: { configRejection: () => refusal, sharedStoreState: () => shared },
  });
  key = (await api.addKey('acme', { scopes: ['read'] })).key;
});
after(() => api.close());

const overview = async (asking = key) => {
  const { status, body } = await api.call('GET', '/api/overview', { key: asking });
  assert.equal(status, 200, JSON.stringify(body));
  return body;
};

test('a healthy organization has no attention items', async () => {
  const other = await api.addKey('other', { scopes: ['read'] });
  const { attention, has_more: more, stores, summary } = await overview(other.key);
  assert.deepEqual([attention, more], [[], false]);
  assert.deepEqual(stores, { database: 'ok', shared: 'ok', rows_pending: 0 });
  assert.deepEqual([summary?.requests, summary?.previous?.requests], [0, 0]);
});

test('attention items are sorted by urgency, with their subject and start time', async () => {
  refusal = { atMs: API_TEST_NOW - 1_000, problem: 'floe.yaml:3: port: must be a number' };
  shared = 'unavailable';
  await api.database.transaction(async (writer) => {
    const change = {
      org_id: 'acme',
      breaker_id: 'main/large@default',
      state: 'open',
      because: '5 of 5 failed',
    };
    await insertBreakerChange(writer, { id: 'brk_1', at: API_TEST_NOW - 5_000, ...change });
    await enqueueAlert(writer, {
      orgId: 'acme',
      event: 'credential',
      subject: { kind: 'credential', id: 'main/x@spare', name: 'main/x (credential spare)' },
      idempotencyKey: 'credential',
      at: API_TEST_NOW - 9_000,
      fields: { state: 'bad', sinceMs: API_TEST_NOW - 9_000, error: '401' },
      channels: null,
    });
  });
  await api.addKey('acme', {
    name: 'soon',
    created_at: API_TEST_NOW - 30 * 24 * HOUR_MS,
    expires_at: API_TEST_NOW + HOUR_MS,
  });
  // Made for a day: its end is no news.
  await api.addKey('acme', {
    name: 'temporary',
    created_at: API_TEST_NOW - HOUR_MS,
    expires_at: API_TEST_NOW + 23 * HOUR_MS,
  });
  await api.addKey('acme', { name: 'later', expires_at: API_TEST_NOW + 30 * 24 * HOUR_MS });
  await api.addKey('acme', { name: 'gone', expires_at: API_TEST_NOW + HOUR_MS, revoked_at: 1 });
  await api.addExchange('acme', { id: 'exc_1', created_at: API_TEST_NOW - HOUR_MS });
  const { attention, summary } = await overview();
  assert.deepEqual(
    listResponseEntries(attention).map(({ kind, severity, subject, since }) => [
      kind,
      severity,
      subject?.name,
      since,
    ]),
    [
      ['config_rejected', 'critical', 'floe.yaml', '2026-11-21T11:59:59.000Z'],
      ['store_unavailable', 'critical', 'Shared store', null],
      ['credential_rejected', 'critical', 'main/x (credential spare)', '2026-11-21T11:59:51.000Z'],
      ['breaker_open', 'critical', 'main/large', '2026-11-21T11:59:55.000Z'],
      ['key_expires', 'notice', 'soon', null],
    ],
  );
  assert.equal(summary?.requests, 1);
});

test('the history of a breaker has its changes, newest first', async () => {
  const id = encodeURIComponent('main/large@default');
  const { body } = await api.call('GET', `/api/management/breakers/${id}/history`, { key });
  assert.deepEqual(
    listResponseEntries(body.data).map(({ at, state, reason }) => [at, state, reason]),
    [['2026-11-21T11:59:55.000Z', 'open', '5 of 5 failed']],
  );
});

test('a forecast extrapolates the period, and is absent at its start', () => {
  const month = { startsAt: 0, endsAt: 30 * 24 * HOUR_MS };
  assert.equal(forecastSpend(1_000, month, 15 * 24 * HOUR_MS), 2_000);
  assert.equal(forecastSpend(1_000, month, 30 * 24 * HOUR_MS), 1_000);
  assert.equal(forecastSpend(1_000, month, HOUR_MS), null);
  assert.equal(forecastSpend(1_000, { startsAt: 0, endsAt: 0 }, HOUR_MS), null);
  const dayOf = (at: string | null) => at && new Date(at).getTime() / (24 * HOUR_MS);
  const middle = 15 * 24 * HOUR_MS;
  assert.equal(
    dayOf(forecastBudgetExhaustion({ spent: 1_000, forecast: 2_000, limit: 1_500 }, month, middle)),
    22.5,
    'when the line meets the limit',
  );
  assert.equal(
    dayOf(forecastBudgetExhaustion({ spent: 1_600, forecast: 3_200, limit: 1_500 }, month, middle)),
    15,
    'nothing is left already',
  );
  assert.equal(
    forecastBudgetExhaustion({ spent: 1_000, forecast: 2_000, limit: 2_000 }, month, middle),
    null,
    'it lasts',
  );
  assert.equal(forecastBudgetExhaustion({ spent: 1_000, forecast: null, limit: 500 }, month, HOUR_MS), null);
});
