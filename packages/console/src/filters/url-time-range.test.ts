import assert from 'node:assert/strict';
import { test } from 'node:test';
import { updateServerTimeOffset } from '../data/server-clock.ts';
import { resolveUrlTimeRange } from './url-time-range.ts';

test('a relative time is the same moment for all who ask about one link, and another for another link', (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: Date.parse('2026-11-20T10:00:00Z') });
  const query = new URLSearchParams('range=1h');
  const asked = resolveUrlTimeRange('requests range=1h', query);
  t.mock.timers.tick(1_000);
  assert.equal(resolveUrlTimeRange('requests range=1h', query), asked);
  assert.notEqual(resolveUrlTimeRange('overview 1h', query).to.getTime(), asked.to.getTime());
  t.mock.timers.tick(10 * 60_000);
  assert.notEqual(resolveUrlTimeRange('requests range=1h', query), asked);
});

test('a time that was resolved with a wrong clock is resolved again once the time of the server is known', (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: Date.parse('2026-11-20T10:00:00Z') });
  const query = new URLSearchParams('range=1h');
  resolveUrlTimeRange('wrong range=1h', query);
  updateServerTimeOffset('Fri, 20 Nov 2026 07:00:00 GMT');
  const { from } = resolveUrlTimeRange('wrong range=1h', query);
  assert.equal(from.toISOString(), '2026-11-20T06:00:00.000Z');
});
