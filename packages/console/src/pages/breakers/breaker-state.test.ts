import assert from 'node:assert/strict';
import { test } from 'node:test';
import { closedBreaker, historyState, nextOf, secondsIn, standingOf } from './breaker-state.ts';

const FORCED = { state: 'closed', until: '2026-01-01T00:00:00.000Z', reason: 'Trial', by: 'jo' } as const;

test('every state has a shape and a word of its own, and a force comes first', () => {
  const states = (['closed', 'open', 'half_open', 'ramping'] as const).map((state) =>
    standingOf({ state, forced: null, wait_ms: 0 }),
  );
  assert.equal(new Set(states.map(({ state }) => state)).size, 4);
  assert.deepEqual(
    states.map(({ word }) => word),
    ['Closed', 'Open', 'Probing', 'Ramping'],
  );
  assert.equal(standingOf({ state: 'closed', forced: null, wait_ms: 900 }).word, 'Cooling');
  assert.equal(standingOf({ state: 'open', forced: FORCED, wait_ms: 900 }).word, 'Forced closed');
});

test('what comes next is told only where something does', () => {
  assert.equal(nextOf({ state: 'open', forced: null, wait_ms: 14_000, probe: null }), 'probe in 14.0 s');
  assert.equal(
    nextOf({ state: 'closed', forced: null, wait_ms: 14_000, probe: null }),
    'asked again in 14.0 s',
  );
  assert.equal(nextOf({ state: 'open', forced: FORCED, wait_ms: 14_000, probe: null }), '');
  assert.equal(nextOf({ state: 'closed', forced: null, wait_ms: 0, probe: null }), '');
});

test('a breaker whose wait is over says that the next request tests it', () => {
  const due = { state: 'half_open', forced: null, wait_ms: 0, probe: 'next_request' } as const;
  assert.equal(standingOf(due).word, 'Half-open');
  assert.equal(nextOf(due), 'the next request is the probe');
  assert.equal(nextOf({ ...due, probe: 'in_flight' }), '');
});

test('a state of the history that nobody knows is unknown, not healthy', () => {
  assert.equal(historyState('open').state, 'failing');
  assert.equal(historyState('strange_thing').state, 'unknown');
});

test('how long a force lasts can be written, within what there is', () => {
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
  for (const [text, seconds] of table) assert.equal(secondsIn(text), seconds, text);
});

test('a target is read from both ends of its name', () => {
  const breaker = closedBreaker('main/family/large@eu');
  assert.deepEqual([breaker?.provider, breaker?.model, breaker?.credential], ['main', 'family/large', 'eu']);
  assert.equal(closedBreaker('nothing'), null);
});
