import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createScheduleOccurrences, requireMonitorCron } from './monitor-schedule.ts';

/** The next times of a cron expression in New York, where clocks change on March 14 and November 7, 2027. */
function listTimes(cron: string, from: string, count: number): string[] {
  const { after } = createScheduleOccurrences({ kind: 'cron', cron, timezone: 'America/New_York' });
  const times: string[] = [];
  for (let at: number | null = Date.parse(from); at !== null && times.length < count; ) {
    at = after(at);
    if (at !== null) times.push(new Date(at).toISOString().slice(5, 16));
  }
  return times;
}

test('a daily job at a time that the clock skips is due after the jump, and at one that occurs twice once', () => {
  assert.deepEqual(listTimes('30 2 * * *', '2027-03-13T12:00:00Z', 2), ['03-14T07:00', '03-15T06:30']);
  assert.deepEqual(listTimes('30 1 * * *', '2027-11-07T00:00:00Z', 2), ['11-07T05:30', '11-08T06:30']);
});

test('a job that runs every hour or more often keeps its pace when clocks change', () => {
  assert.deepEqual(listTimes('0 * * * *', '2027-11-07T04:30:00Z', 4), [
    '11-07T05:00',
    '11-07T06:00',
    '11-07T07:00',
    '11-07T08:00',
  ]);
  assert.deepEqual(listTimes('*/30 * * * *', '2027-03-14T06:10:00Z', 3), [
    '03-14T06:30',
    '03-14T07:00',
    '03-14T07:30',
  ]);
});

test('a monitor cannot expect beats less than 30 seconds apart', () => {
  for (const cron of ['* * * * * *', '*/29 * * * * *', '10,50 * * * * *', '0,29 0 0 29 2 *'])
    assert.throws(() => requireMonitorCron(cron, 'Europe/Riga'), /less than 30 seconds apart/, cron);
  for (const cron of ['*/30 * * * * *', '20 * * * * *', '5,35 0 0 29 2 *', '* * * * *', '@hourly'])
    assert.doesNotThrow(() => requireMonitorCron(cron, 'Europe/Riga'), cron);
});
