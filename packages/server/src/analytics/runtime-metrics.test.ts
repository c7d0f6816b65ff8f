import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RuntimeMetrics } from './runtime-metrics.ts';

test('reloads of the configuration are counted by result, and the last result is reported', () => {
  const metrics = new RuntimeMetrics('1.0.0', 'unknown');
  for (const isApplied of [true, false]) metrics.recordReload(isApplied);
  assert.match(metrics.render(), /^floe_config_reloads_total\{result="failure"\} 1$/m);
  assert.match(metrics.render(), /^floe_config_last_reload_success\{\} 0$/m);
  metrics.recordReload(true);
  assert.match(metrics.render(), /^floe_config_reloads_total\{result="success"\} 2$/m);
  assert.match(metrics.render(), /^floe_config_last_reload_success\{\} 1$/m);
});
