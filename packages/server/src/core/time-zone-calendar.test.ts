import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getTimeZoneCalendar, listLocalDays } from './time-zone-calendar.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

test('a day whose midnight occurs twice begins with the first one and has 25 hours', () => {
  // Amman put its clocks back from 01:00 to 00:00 on 2021-10-29.
  const { startOfDay, dateAt } = getTimeZoneCalendar('Asia/Amman');
  const start = startOfDay(2021, 9, 29);
  assert.equal(new Date(start).toISOString(), '2021-10-28T21:00:00.000Z');
  assert.equal(startOfDay(2021, 9, 30) - start, 25 * HOUR_MS);
  assert.deepEqual([dateAt(start).day, dateAt(start - 1).day], [29, 28]);
});

test('the days of a range are the same as days that are computed one by one, around every clock change', () => {
  for (const timezone of ['UTC', 'Asia/Amman', 'Africa/Cairo', 'America/Havana', 'Pacific/Apia']) {
    const { startOfDay, dateAt } = getTimeZoneCalendar(timezone);
    const from = Date.parse('2010-06-01T13:00:00Z');
    const to = Date.parse('2012-06-01T13:00:00Z');
    const { year, month, day } = dateAt(from);
    const days = listLocalDays(timezone, from, to);
    for (const [n, { startsAt, localMidnight }] of days.entries()) {
      assert.equal(startsAt, startOfDay(year, month, day + n), timezone);
      assert.equal(localMidnight, Date.UTC(year, month, day + n), timezone);
    }
    assert.ok(startOfDay(year, month, day + days.length) >= to, timezone);
  }
});

test('ten years of days need one time zone lookup for each day', (t) => {
  const looks = t.mock.method(Intl.DateTimeFormat.prototype, 'formatToParts');
  const to = Date.parse('2026-11-22T00:00:00Z');
  assert.equal(listLocalDays('Europe/Vienna', to - 3_660 * DAY_MS, to).length, 3_661);
  assert.ok(looks.mock.callCount() < 4_500, `${looks.mock.callCount()}`);
});

test('the number of cached time zones is limited, whatever their notation', () => {
  const zone = 'america/argentina/comodrivadavia';
  const first = getTimeZoneCalendar(zone);
  assert.equal(getTimeZoneCalendar(zone), first);
  for (let n = 1; n <= 512; n++)
    getTimeZoneCalendar(
      [...zone].map((letter, at) => ((n >> at) & 1 ? letter.toUpperCase() : letter)).join(''),
    );
  assert.notEqual(getTimeZoneCalendar(zone), first);
});
