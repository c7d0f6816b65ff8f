import assert from 'node:assert/strict';
import { test } from 'node:test';
import { predictDeadlineChange } from './deadline.ts';
import { createExampleMonitor } from './example-monitor.ts';
import { toMonitorFormValues } from './monitor-form.ts';

const at = (minutes: number) => new Date(Date.UTC(2026, 10, 21, 12) + minutes * 60_000);
const monitor = createExampleMonitor({
  last_beat_at: at(0).toISOString(),
  next_due_at: at(60).toISOString(),
  deadline_at: at(65).toISOString(),
});
const form = toMonitorFormValues(monitor, 'UTC');

test('another interval or grace moves the deadline from the last beat on', () => {
  assert.deepEqual(predictDeadlineChange(monitor, { ...form, interval: '2 h' }, at(10))?.to, at(125));
  assert.deepEqual(predictDeadlineChange(monitor, { ...form, grace: '30 min' }, at(10))?.to, at(90));
});

test('a shorter interval never makes a beat late that was not: nothing is due before now', () => {
  assert.deepEqual(predictDeadlineChange(monitor, { ...form, interval: '5 min' }, at(20)), {
    from: at(65),
    to: at(25),
  });
});

test('what moves nothing, or what only the server knows, says nothing', () => {
  assert.equal(predictDeadlineChange(monitor, { ...form, name: 'Other' }, at(10)), null);
  assert.equal(predictDeadlineChange(monitor, { ...form, kind: 'cron' }, at(10)), null);
  assert.equal(
    predictDeadlineChange({ ...monitor, status: 'paused' }, { ...form, interval: '2 h' }, at(10)),
    null,
  );
  const granted = { ...monitor, next_due_at: at(90).toISOString() };
  assert.equal(predictDeadlineChange(granted, { ...form, interval: '2 h' }, at(10)), null);
});
