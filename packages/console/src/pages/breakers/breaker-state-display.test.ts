import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  createClosedBreaker,
  describeNextBreakerStep,
  getBreakerHistoryDisplay,
  getBreakerStateDisplay,
  getListedBreakerDisplay,
  listPossibleBreakerIds,
  parseForceSeconds,
} from './breaker-state-display.ts';

const FORCED = { state: 'closed', until: '2026-01-01T00:00:00.000Z', reason: 'Trial', by: 'jo' } as const;

test('every state has its own icon and label, and a forced state takes precedence', () => {
  const states = (['closed', 'open', 'half_open', 'ramping'] as const).map((state) =>
    getBreakerStateDisplay({ state, forced: null, wait_ms: 0 }),
  );
  assert.equal(new Set(states.map(({ state }) => state)).size, 4);
  assert.deepEqual(
    states.map(({ word }) => word),
    ['Closed (traffic)', 'Open (no traffic)', 'Probing', 'Ramping up'],
  );
  assert.equal(getBreakerStateDisplay({ state: 'closed', forced: null, wait_ms: 900 }).word, 'Rate limited');
  assert.equal(getBreakerStateDisplay({ state: 'open', forced: FORCED, wait_ms: 900 }).word, 'Forced closed');
});

test('a breaker that is not in the list is closed only if the whole list is known', () => {
  assert.deepEqual(getListedBreakerDisplay(undefined, true), { state: 'healthy', word: 'Closed (traffic)' });
  assert.deepEqual(getListedBreakerDisplay(undefined, false), { state: 'unknown', word: 'Unknown' });
});

test('the next step is empty where there is none', () => {
  assert.equal(
    describeNextBreakerStep({ state: 'open', forced: null, wait_ms: 14_000, probe: null }),
    'Test request in 14.0 s',
  );
  assert.equal(
    describeNextBreakerStep({ state: 'closed', forced: null, wait_ms: 14_000, probe: null }),
    'Next request in 14.0 s',
  );
  assert.equal(describeNextBreakerStep({ state: 'open', forced: FORCED, wait_ms: 14_000, probe: null }), '');
  assert.equal(describeNextBreakerStep({ state: 'closed', forced: null, wait_ms: 0, probe: null }), '');
});

test('a half-open breaker without a wait is probed by the next request', () => {
  const due = { state: 'half_open', forced: null, wait_ms: 0, probe: 'next_request' } as const;
  assert.equal(getBreakerStateDisplay(due).word, 'Half-open');
  assert.equal(describeNextBreakerStep(due), 'The next request tests the target');
  assert.equal(describeNextBreakerStep({ ...due, probe: 'in_flight' }), '');
});

test('an unknown state of the history is shown as unknown, not as healthy', () => {
  assert.equal(getBreakerHistoryDisplay('open').state, 'failing');
  assert.equal(getBreakerHistoryDisplay('strange_thing').state, 'unknown');
});

test('the duration of a forced state can be typed, up to the maximum', () => {
  const table: readonly [string, number | null][] = [
    ['45s', 45],
    [' 20 min ', 1200],
    ['6h', 21_600],
    ['7d', 604_800],
    ['8d', null],
    ['0s', null],
    ['soon', null],
    ['', null],
  ];
  for (const [text, seconds] of table) assert.equal(parseForceSeconds(text), seconds, text);
});

test('the id of a breaker is split at the first slash and the last at sign', () => {
  const breaker = createClosedBreaker('main/family/large@eu');
  assert.deepEqual([breaker?.provider, breaker?.model, breaker?.credential], ['main', 'family/large', 'eu']);
  assert.equal(createClosedBreaker('nothing'), null);
});

test('a breaker is named by its credential, none where the provider has no credential, each once', () => {
  const provider = { enabled: true, credential_source: 'provider', credentials: [] } as const;
  const providers = [
    { ...provider, id: 'sandbox' },
    { ...provider, id: 'main', credentials: [{ name: 'eu' }, { name: 'us' }] },
    { ...provider, id: 'own', credential_source: 'caller' },
    { ...provider, id: 'off', enabled: false },
  ] as const;
  const models = [
    { id: 'sandbox/flaky', provider: 'sandbox' },
    { id: 'sandbox/flaky', provider: 'sandbox' },
    { id: 'main/large', provider: 'main' },
    { id: 'own/large', provider: 'own' },
    { id: 'off/large', provider: 'off' },
    { id: 'safe', provider: null },
  ];
  assert.deepEqual(listPossibleBreakerIds(models, providers), [
    'sandbox/flaky@none',
    'main/large@eu',
    'main/large@us',
    'own/large@caller',
  ]);
});
