import assert from 'node:assert/strict';
import { test } from 'node:test';
import { computeIntervalEnd, formatIntervalLabel } from './chart-intervals.ts';

const HOUR_MS = 3_600_000;

test('a day is named by its zone, and says its length where the clocks change', () => {
  const at = [24, 25, 26].map((day) => Date.parse(`2026-10-${day}T00:00:00+0${day < 26 ? 2 : 1}:00`));
  const days = { at, zone: 'Europe/Berlin', isDaily: true };
  assert.deepEqual(
    at.map((_, index) => formatIntervalLabel(days, index)),
    ['Sat 24 Oct 2026', 'Sun 25 Oct 2026 (25 h)', 'Mon 26 Oct 2026'],
  );
  assert.equal(formatIntervalLabel({ at, zone: 'UTC' }, 0), '23 Oct 2026, 22:00:00 UTC');
});

test('an interval ends where the next begins, the last one with the time that is shown', () => {
  const at = [0, HOUR_MS];
  assert.deepEqual(
    [computeIntervalEnd({ at }, 0), computeIntervalEnd({ at }, 1), computeIntervalEnd({ at, until: 5 }, 1)],
    [HOUR_MS, 2 * HOUR_MS, 5],
  );
});
