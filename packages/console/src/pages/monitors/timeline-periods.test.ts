import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CheckResource } from '@floe/contract/api/monitor-history';
import { computeDeadlineBarPositions } from './deadline.ts';
import type { MonitorPeriod } from './monitor-data.ts';
import { buildTimelineBeatMarks, buildTimelinePeriods, findStartOfShownPeriods } from './timeline-periods.ts';

const HOUR = 3_600_000;
const START = Date.UTC(2026, 10, 21);
const iso = (hour: number) => new Date(START + hour * HOUR).toISOString();
const period = (status: MonitorPeriod['status'], from: number, to: number | null): MonitorPeriod => ({
  status,
  started_at: iso(from),
  ended_at: to === null ? null : iso(to),
  reason: 'beat',
});

test('marks fill the range without gaps or overlaps, whatever order the periods come in', () => {
  const periods = [
    period('healthy', 20, null),
    period('failing', 18, 20),
    period('unknown', 12, 18),
    period('healthy', -30, 12),
  ];
  const marks = buildTimelinePeriods(periods, new Date(START), new Date(START + 24 * HOUR));
  let at = 0;
  for (const { left, width } of marks) {
    assert.ok(Math.abs(left - at) < 1e-9);
    at = left + width;
  }
  assert.ok(Math.abs(at - 1) < 1e-9);
  assert.deepEqual(
    marks.map(({ period: { status }, ms }) => [status, ms / HOUR]),
    [
      // It started 30 hours before the range.
      ['healthy', 42],
      ['unknown', 6],
      ['failing', 2],
      ['healthy', 4],
    ],
  );
});

test('a list without the oldest periods states from when on it is complete', () => {
  const data = [period('failing', 3, null), period('healthy', 2, 3)];
  assert.equal(findStartOfShownPeriods({ data, next_cursor: 'x' })?.toISOString(), iso(2));
  assert.equal(findStartOfShownPeriods({ data, next_cursor: null }), null);
  assert.equal(findStartOfShownPeriods({ data: [], next_cursor: null }), null);
});

test('of failures close together only the first is labelled', () => {
  const periods = [period('failing', 1, 2), period('failing', 3, 4), period('failing', 12, 13)];
  const marks = buildTimelinePeriods(periods, new Date(START), new Date(START + 24 * HOUR));
  assert.deepEqual(
    marks.map(({ label }) => label),
    [true, false, true],
  );
});

test('with more beats than can be told apart only the misses are marked', () => {
  const check = (index: number): CheckResource => ({
    id: `c${index}`,
    status: index === 5 ? 'missed' : 'ok',
    error: null,
    expected_at: iso(index / 10),
    detected_at: iso(index / 10),
    received_at: index === 5 ? null : iso(index / 10),
    duration_ms: null,
    metadata: null,
    missed_count: index === 5 ? 1 : 0,
  });
  const range = [new Date(START), new Date(START + 24 * HOUR)] as const;
  const many = buildTimelineBeatMarks(
    Array.from({ length: 200 }, (_, index) => check(index)),
    ...range,
  );
  assert.deepEqual(
    many.map(({ id }) => id),
    ['c5'],
  );
  assert.equal(buildTimelineBeatMarks([check(1), check(2)], ...range).length, 2);
});

test('a failure is marked when it was reported, although the next beat was expected later', () => {
  const failed: CheckResource = {
    id: 'f',
    status: 'failed',
    error: 'exit 1',
    expected_at: iso(30),
    detected_at: iso(12),
    received_at: iso(12),
    duration_ms: null,
    metadata: null,
    missed_count: 0,
  };
  const ticks = buildTimelineBeatMarks([failed], new Date(START), new Date(START + 24 * HOUR));
  assert.deepEqual(ticks, [{ id: 'f', at: 0.5, missed: true }]);
});

const monitor = {
  last_beat_at: iso(0),
  next_due_at: iso(1),
  deadline_at: iso(1.5),
  created_at: iso(-100),
  failing_since: null,
};

test('the bar says whether a beat is due, late within its grace, or missed', () => {
  const at = (hour: number) => computeDeadlineBarPositions(monitor, new Date(START + hour * HOUR));
  assert.deepEqual([at(0.5)?.overdue, at(1.2)?.overdue, at(2)?.overdue], ['no', 'in_grace', 'past']);
  const bar = at(0.5);
  assert.ok(bar && 0 < bar.now && bar.now < bar.dueAt && bar.dueAt < bar.deadlineAt && bar.deadlineAt < 1);
  assert.equal(at(9)?.now, 1);
  assert.equal(computeDeadlineBarPositions({ ...monitor, next_due_at: null }, new Date(START)), null);
});
