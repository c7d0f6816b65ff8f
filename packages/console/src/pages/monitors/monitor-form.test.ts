import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createExampleMonitor } from './example-monitor.ts';
import { toMonitorFormValues, toScheduleBody } from './monitor-form.ts';

test('a schedule in the zone of the org stays in it, wherever somebody changes it', () => {
  const cron = { expected_interval_minutes: null, schedule: { cron: '0 3 * * *' } };
  const body = toScheduleBody(toMonitorFormValues(createExampleMonitor(cron), 'Asia/Tokyo'));
  assert.deepEqual('schedule' in body && body.schedule, { cron: '0 3 * * *' });
  const own = { ...cron, schedule: { cron: '0 3 * * *', timezone: 'Europe/Riga' } };
  const kept = toScheduleBody(toMonitorFormValues(createExampleMonitor(own), 'Asia/Tokyo'));
  assert.deepEqual('schedule' in kept && kept.schedule, own.schedule);
});

test('a monitor that had no schedule begins one in the zone of who writes it', () => {
  const form = { ...toMonitorFormValues(createExampleMonitor(), 'Asia/Tokyo'), kind: 'cron' as const };
  const body = toScheduleBody(form);
  assert.equal('schedule' in body && body.schedule?.timezone, 'Asia/Tokyo');
});
