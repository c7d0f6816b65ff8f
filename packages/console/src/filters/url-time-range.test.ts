import assert from 'node:assert/strict';
import { test } from 'node:test';
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
