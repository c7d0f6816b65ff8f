import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allowsOpenMetrics } from './surfaces.ts';

test('metrics need a token wherever another machine may ask, a trusted proxy included', () => {
  for (const host of ['127.0.0.1', '127.1.2.3', '::1', 'localhost']) {
    assert.equal(allowsOpenMetrics(host, false, []), true, host);
    assert.equal(allowsOpenMetrics(host, true, []), false, `${host} behind a proxy`);
  }
  for (const host of ['0.0.0.0', '::', '10.0.0.5', '127.0.0.1.example', 'floe.example'])
    assert.equal(allowsOpenMetrics(host, false, []), false, host);
  assert.equal(allowsOpenMetrics('0.0.0.0', true, ['metrics']), true);
  assert.equal(allowsOpenMetrics('0.0.0.0', true, ['metrics', 'health']), true);
  assert.equal(allowsOpenMetrics('0.0.0.0', true, ['metrics', 'gateway']), false);
});
