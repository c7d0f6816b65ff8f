import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getCurrentTime, getServerTime, updateServerTimeOffset } from './server-clock.ts';

const BROWSER_NOW = Date.parse('2026-11-21T12:00:00.400Z');

test('timestamps for requests follow the clock of the server, whatever the clock of the browser shows', () => {
  assert.equal(getServerTime(BROWSER_NOW).getTime(), BROWSER_NOW);
  updateServerTimeOffset('Sat, 21 Nov 2026 11:48:00 GMT', BROWSER_NOW);
  assert.equal(getServerTime(BROWSER_NOW + 90_000).toISOString(), '2026-11-21T11:49:30.000Z');
  for (const unusable of [null, '', 'yesterday']) updateServerTimeOffset(unusable, BROWSER_NOW);
  assert.equal(getServerTime(BROWSER_NOW).toISOString(), '2026-11-21T11:48:00.000Z');
});

test('displayed times follow the server only if the clock of the browser is clearly wrong', () => {
  updateServerTimeOffset('Sat, 21 Nov 2026 11:59:58 GMT', BROWSER_NOW);
  assert.equal(getCurrentTime(BROWSER_NOW).getTime(), BROWSER_NOW, 'a slow response');
  updateServerTimeOffset('Sat, 21 Nov 2026 14:00:00 GMT', BROWSER_NOW);
  assert.equal(getCurrentTime(BROWSER_NOW).toISOString(), '2026-11-21T14:00:00.000Z');
});
