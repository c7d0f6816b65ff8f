import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getAlertStatus } from './alert-status.ts';

test('an event without an end is a warning, and only a condition is ongoing or over', () => {
  const at = '2026-11-24T08:00:00.000Z';
  assert.equal(getAlertStatus({ event: 'budget', closed_at: null }), 'warning');
  assert.equal(getAlertStatus({ event: 'monitor_never_beaten', closed_at: null }), 'warning');
  assert.equal(getAlertStatus({ event: 'breaker', closed_at: null }), 'failing');
  assert.equal(getAlertStatus({ event: 'breaker', closed_at: at }), 'healthy');
  assert.equal(getAlertStatus({ event: 'monitor_recovered', closed_at: at }), 'healthy');
});
