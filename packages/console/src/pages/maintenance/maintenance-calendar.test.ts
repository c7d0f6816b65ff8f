import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MaintenanceWindow } from '@floe/contract/api/maintenance';
import {
  buildCalendarDays,
  formatMonthParameter,
  listMaintenanceOccurrences,
  parseMonth,
} from './maintenance-calendar.ts';

const window = (part: Partial<MaintenanceWindow>): MaintenanceWindow => ({
  id: 'w',
  name: 'Work',
  starts_at: null,
  ends_at: null,
  schedule: null,
  duration_minutes: null,
  monitors: [],
  tags: [],
  show_on_boards: false,
  active_until: null,
  next: [],
  created_at: '2026-11-01T00:00:00.000Z',
  updated_at: '2026-11-01T00:00:00.000Z',
  updated_by: 'mem_1',
  ...part,
});

test('a month is shown in whole weeks that begin on Monday', () => {
  for (const text of ['2026-02', '2026-11', '2027-02', '2028-02']) {
    const month = parseMonth(text, new Date());
    const days = buildCalendarDays(month, []);
    assert.equal(days.length % 7, 0);
    assert.equal(days[0]?.start.getDay(), 1);
    assert.equal(days.at(-1)?.start.getDay(), 0);
    const inside = days.filter(({ inMonth }) => inMonth);
    assert.equal(inside.length, new Date(month.getFullYear(), month.getMonth() + 1, 0).getDate());
  }
});

test('a window stands on every day it touches, and on none that it only borders', () => {
  const iso = (day: number, hour: number) => new Date(2026, 10, day, hour).toISOString();
  const open = listMaintenanceOccurrences([window({ starts_at: iso(10, 22), ends_at: iso(12, 0) })]);
  const days = buildCalendarDays(new Date(2026, 10, 1), open).filter((day) => day.open.length > 0);
  assert.deepEqual(
    days.map(({ start }) => start.getDate()),
    [10, 11],
  );
});

test('of a window that repeats the times the server told are shown, in order', () => {
  const next = [{ starts_at: '2026-11-29T02:00:00.000Z', ends_at: '2026-11-29T04:00:00.000Z' }];
  const once = window({ starts_at: '2026-11-20T02:00:00.000Z', ends_at: '2026-11-20T03:00:00.000Z' });
  const found = listMaintenanceOccurrences([window({ schedule: { cron: '0 2 * * 0' }, next }), once]);
  assert.deepEqual(
    found.map(({ start }) => start.toISOString()),
    ['2026-11-20T02:00:00.000Z', '2026-11-29T02:00:00.000Z'],
  );
});

test('months are counted over the end of a year, and a broken link means this month', () => {
  assert.equal(formatMonthParameter(parseMonth('2026-12', new Date()), 1), '2027-01');
  assert.equal(formatMonthParameter(parseMonth('2026-13', new Date(2026, 4, 20))), '2026-05');
});
