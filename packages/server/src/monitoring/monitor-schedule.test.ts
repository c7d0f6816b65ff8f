import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Cron } from 'croner';
import { toMaintenanceWindowColumns } from './maintenance-windows.ts';
import { createScheduleOccurrences, requireUsableCron } from './monitor-schedule.ts';

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

test('a job at several fixed times is due once at each time that occurs twice', () => {
  assert.deepEqual(listTimes('0 1,13 * * *', '2027-11-07T00:00:00Z', 3), [
    '11-07T05:00',
    '11-07T18:00',
    '11-08T06:00',
  ]);
  assert.deepEqual(listTimes('0,30 1 * * *', '2027-11-07T00:00:00Z', 3), [
    '11-07T05:00',
    '11-07T05:30',
    '11-08T06:00',
  ]);
  const { after } = createScheduleOccurrences({
    kind: 'cron',
    cron: '45 1-2 * * *',
    timezone: 'Australia/Lord_Howe',
  });
  // Clocks are set back by 30 minutes at 2:00, so 1:45 occurs twice.
  const first = after(Date.parse('2027-04-03T12:00:00Z')) ?? 0;
  assert.equal(new Date(first).toISOString(), '2027-04-03T14:45:00.000Z');
  assert.equal(new Date(after(first) ?? 0).toISOString(), '2027-04-03T16:15:00.000Z');
});

test('a job at several fixed times is due once directly after the jump if the clock skips some of them', () => {
  assert.deepEqual(listTimes('10,40 1,2,3 * * *', '2027-03-14T06:00:00Z', 4), [
    '03-14T06:10',
    '03-14T06:40',
    '03-14T07:00',
    '03-14T07:10',
  ]);
  const { after, intervalBefore } = createScheduleOccurrences({
    kind: 'cron',
    cron: '15 1-3 * * *',
    timezone: 'Australia/Lord_Howe',
  });
  // Clocks are set forward from 2:00 to 2:30.
  const jumpMs = Date.parse('2027-10-02T15:30:00Z');
  assert.equal(after(jumpMs - 1_000), jumpMs);
  assert.equal(after(jumpMs), jumpMs + 45 * 60_000);
  assert.equal(intervalBefore(jumpMs + 45 * 60_000), 45 * 60_000);
  assert.equal(intervalBefore(jumpMs), 45 * 60_000);
});

test('a day must match both day fields if one of them starts with an asterisk, and otherwise one of them', () => {
  const listDays = (cron: string) => listTimes(cron, '2027-03-01T00:00:00Z', 4).map((at) => at.slice(0, 5));
  // Mondays are 1, 8, 15, 22 and 29 March, and 5 April.
  assert.deepEqual(listDays('0 12 */2 * 1'), ['03-01', '03-15', '03-29', '04-05']);
  assert.deepEqual(listDays('0 12 1-7 * */7'), ['03-07', '04-04', '05-02', '06-06']);
  assert.deepEqual(listDays('0 12 1-31/2 * 1'), ['03-01', '03-03', '03-05', '03-07']);
  assert.deepEqual(listDays('0 12 13 * 5'), ['03-05', '03-12', '03-13', '03-19']);
});

test('an hour that occurs twice at the end of a day is not passed over', () => {
  // In Cairo, clocks are set back from 0:00 on 29 October to 23:00 on 28 October.
  const { after, intervalBefore } = createScheduleOccurrences({
    kind: 'cron',
    cron: '50 * 28 10 *',
    timezone: 'Africa/Cairo',
  });
  const firstMs = Date.parse('2027-10-28T20:50:00Z');
  assert.equal(after(firstMs), firstMs + 3_600_000);
  assert.equal(intervalBefore(firstMs + 3_600_000), 3_600_000);
  assert.equal(new Date(after(firstMs + 3_600_000) ?? 0).toISOString(), '2028-10-27T22:50:00.000Z');
});

test('the next time of a schedule that rarely matches is found at once', (t) => {
  const { mock } = t.mock.method(Cron.prototype, 'nextRun');
  const { after } = createScheduleOccurrences({
    kind: 'cron',
    cron: '0 0 29 2 */7',
    timezone: 'Europe/Riga',
  });
  assert.equal(
    new Date(after(Date.parse('2044-03-01T00:00:00Z')) ?? 0).toISOString(),
    '2060-02-28T22:00:00.000Z',
  );
  assert.ok(mock.callCount() <= 4, `${mock.callCount()} steps`);
});

test('if the minute or the hour starts with an asterisk, a job is due whenever clocks show its time', () => {
  assert.deepEqual(listTimes('0 * * * *', '2027-11-07T04:30:00Z', 4), [
    '11-07T05:00',
    '11-07T06:00',
    '11-07T07:00',
    '11-07T08:00',
  ]);
  assert.deepEqual(listTimes(' @HOURLY', '2027-11-07T04:30:00Z', 2), ['11-07T05:00', '11-07T06:00']);
  assert.deepEqual(listTimes('*/30 * * * *', '2027-03-14T06:10:00Z', 3), [
    '03-14T06:30',
    '03-14T07:00',
    '03-14T07:30',
  ]);
  // Clocks show 1:00 to 1:59 twice on 7 November, and no time from 2:00 to 2:59 on 14 March.
  assert.deepEqual(listTimes('*/30 1 * * *', '2027-11-07T04:30:00Z', 4), [
    '11-07T05:00',
    '11-07T05:30',
    '11-07T06:00',
    '11-07T06:30',
  ]);
  assert.deepEqual(listTimes('*/30 2 * * *', '2027-03-14T04:30:00Z', 1), ['03-15T06:00']);
  assert.deepEqual(listTimes('0,30 2 * * *', '2027-03-14T04:30:00Z', 2), ['03-14T07:00', '03-15T06:00']);
});

test('times that occur twice are passed over at once', (t) => {
  const { after, intervalBefore } = createScheduleOccurrences({
    kind: 'cron',
    cron: '0-59 0-59 0-23 * * *',
    timezone: 'America/New_York',
  });
  const lastMs = Date.parse('2027-11-07T05:59:59Z');
  const nextMs = Date.parse('2027-11-07T07:00:00Z');
  const { mock } = t.mock.method(Cron.prototype, 'nextRun');
  assert.equal(after(lastMs), nextMs);
  assert.equal(after(nextMs - 1_800_000), nextMs);
  assert.ok(mock.callCount() <= 4, `${mock.callCount()} steps`);
  const previous = t.mock.method(Cron.prototype, 'previousRuns').mock;
  assert.equal(intervalBefore(nextMs), nextMs - lastMs);
  assert.ok(previous.callCount() <= 2, `${previous.callCount()} steps`);
});

test('the interval before a time does not count times that occur twice', () => {
  const { intervalBefore } = createScheduleOccurrences({
    kind: 'cron',
    cron: '0 1,13 * * *',
    timezone: 'America/New_York',
  });
  assert.equal(intervalBefore(Date.parse('2027-11-07T18:00:00Z')), 13 * 3_600_000);
});

test('a maintenance window cannot start less than 30 seconds after the one before', () => {
  const columns = (cron: string) =>
    toMaintenanceWindowColumns({ name: 'w', schedule: { cron }, duration_minutes: 5 }, 'UTC');
  assert.throws(() => columns('0-59 0-59 0-23 * * *'), /less than 30 seconds apart/);
  assert.equal(columns('0 0 3 * * *').cron, '0 0 3 * * *');
});

test('a monitor cannot expect beats less than 30 seconds apart', () => {
  for (const cron of ['* * * * * *', '*/29 * * * * *', '10,50 * * * * *', '0,29 0 0 29 2 *'])
    assert.throws(() => requireUsableCron(cron), /less than 30 seconds apart/, cron);
  for (const cron of ['*/30 * * * * *', '20 * * * * *', '5,35 0 0 29 2 *', '* * * * *', '@hourly'])
    assert.doesNotThrow(() => requireUsableCron(cron), cron);
});

test('an error names the value that is out of range as the expression contains it', () => {
  for (const [cron, problem] of [
    ['0 0 32 * *', 'day: 32'],
    ['0 0 0 * *', 'day: 0'],
    ['0 0 40W * *', 'day: 40'],
    ['0 0 * 13 *', 'month: 13'],
    ['0 0 * 0 *', 'month: 0'],
    ['0 25 * * *', 'hour: 25'],
    ['60 * * * *', 'minute: 60'],
  ] as const)
    assert.throws(() => requireUsableCron(cron), new RegExp(`Invalid value for ${problem}$`), cron);
});
