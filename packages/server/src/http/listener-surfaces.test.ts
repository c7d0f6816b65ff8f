import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allowsUnauthenticatedMetrics } from './listener-surfaces.ts';

test('metrics require a token if another machine can reach them, including through a trusted proxy', () => {
  for (const host of ['127.0.0.1', '127.1.2.3', '::1', 'localhost']) {
    assert.equal(allowsUnauthenticatedMetrics(host, false, []), true, host);
    assert.equal(allowsUnauthenticatedMetrics(host, true, []), false, `${host} behind a proxy`);
  }
  for (const host of ['0.0.0.0', '::', '10.0.0.5', '127.0.0.1.example', 'floe.example'])
    assert.equal(allowsUnauthenticatedMetrics(host, false, []), false, host);
  assert.equal(allowsUnauthenticatedMetrics('0.0.0.0', true, ['metrics']), true);
  assert.equal(allowsUnauthenticatedMetrics('0.0.0.0', true, ['metrics', 'health']), true);
  assert.equal(allowsUnauthenticatedMetrics('0.0.0.0', true, ['metrics', 'gateway']), false);
});
