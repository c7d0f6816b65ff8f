import assert from 'node:assert/strict';
import { test } from 'node:test';
import { alertStatus } from './alert-status.ts';

test('an event without an end is a warning, and only a condition is ongoing or over', () => {
  const at = '2026-11-24T08:00:00.000Z';
  assert.equal(alertStatus({ event: 'budget', closed_at: null }), 'warning');
  assert.equal(alertStatus({ event: 'monitor_never_beaten', closed_at: null }), 'warning');
  assert.equal(alertStatus({ event: 'breaker', closed_at: null }), 'failing');
  assert.equal(alertStatus({ event: 'breaker', closed_at: at }), 'healthy');
  assert.equal(alertStatus({ event: 'monitor_recovered', closed_at: at }), 'healthy');
});
