import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createExampleMonitor } from './example-monitor.ts';
import {
  applyCronInput,
  createMonitorFormValues,
  toMonitorBody,
  toMonitorFormValues,
  toMonitorUpdateBody,
  toScheduleBody,
  toSchedulePreviewBody,
} from './monitor-form.ts';

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

test('the preview of an interval starts at the last beat, unless the next beat would be overdue', () => {
  const form = { ...createMonitorFormValues('UTC'), interval: '1 h' };
  const now = new Date('2026-11-29T12:00:00Z');
  const preview = (lastBeatAt: string | null) => toSchedulePreviewBody(form, lastBeatAt, now);
  assert.deepEqual(preview('2026-11-29T11:30:00Z'), {
    expected_interval_minutes: 60,
    grace_period_minutes: null,
    from: '2026-11-29T11:30:00Z',
  });
  assert.equal('from' in preview('2026-11-29T10:30:00Z'), false);
  assert.equal('from' in preview(null), false);
});

test('a name without Latin letters leaves the ID to the server', () => {
  const form = { ...createMonitorFormValues('UTC'), name: 'バックアップ' };
  assert.equal('id' in toMonitorBody(form), false);
  assert.equal(toMonitorBody({ ...form, id: 'backup' }).id, 'backup');
});

test('a tag that contains a comma stays whole when another tag is added', () => {
  const before = createExampleMonitor({ tags: ['Acme, Inc.'] });
  const form = toMonitorFormValues(before, 'UTC');
  const body = toMonitorUpdateBody({ ...form, tags: `${form.tags}, db` }, before);
  assert.deepEqual(body.tags, ['Acme, Inc.', 'db']);
});

test('a pasted crontab line that starts with a macro gives its schedule', () => {
  const cronOf = (text: string) => applyCronInput(createMonitorFormValues('UTC'), text).cron;
  assert.equal(cronOf('@daily /usr/local/bin/backup'), '@daily');
  assert.equal(cronOf('@daily'), '@daily');
  assert.equal(cronOf('0 3 * * * /usr/local/bin/backup'), '0 3 * * *');
});
