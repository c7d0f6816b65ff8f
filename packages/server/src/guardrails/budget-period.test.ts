import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatBudgetCounterName, listPeriodCharges } from '../store/spend/budget-period-counters.ts';
import { createBudgetPeriodResolver } from './budget-period.ts';

const HOUR_MS = 3_600_000;

function at(kind: 'day' | 'week' | 'month', timezone: string, moment: string): string {
  const { name, startsAt, endsAt } = createBudgetPeriodResolver(kind, timezone)(Date.parse(moment));
  return `${name} ${new Date(startsAt).toISOString().slice(0, 16)} ${new Date(endsAt).toISOString().slice(0, 16)}`;
}

test("days, weeks and months begin at midnight in the organization's time zone", () => {
  assert.equal(at('day', 'UTC', '2026-11-21T12:00:00Z'), '2026-11-21 2026-11-21T00:00 2026-11-22T00:00');
  assert.equal(
    at('day', 'Asia/Tokyo', '2026-11-21T15:00:00Z'),
    '2026-11-22 2026-11-21T15:00 2026-11-22T15:00',
  );
  assert.equal(
    at('week', 'Europe/Berlin', '2026-11-22T22:59:59Z'),
    '2026-11-16 2026-11-15T23:00 2026-11-22T23:00',
    'a Sunday belongs to the week of the Monday before',
  );
  assert.equal(
    at('month', 'America/New_York', '2026-12-01T04:00:00Z'),
    '2026-11-01 2026-11-01T04:00 2026-12-01T05:00',
    'a month with a clock change has its own length',
  );
});

test('a day without a midnight begins when the clock has skipped it', () => {
  // Cairo set its clocks forward at midnight of 2026-04-24.
  const { startsAt, endsAt } = createBudgetPeriodResolver(
    'day',
    'Africa/Cairo',
  )(Date.parse('2026-04-24T12:00:00+03:00'));
  assert.equal(new Date(startsAt).toISOString(), '2026-04-23T22:00:00.000Z');
  assert.equal(endsAt - startsAt, 23 * HOUR_MS);
});

test('periods have no gaps and no overlaps for two years, in any time zone', () => {
  for (const timezone of [
    'Europe/Berlin',
    'America/Santiago',
    'Australia/Lord_Howe',
    'Asia/Kathmandu',
    'Africa/Cairo',
  ])
    for (const kind of ['day', 'week', 'month'] as const) {
      const periodAt = createBudgetPeriodResolver(kind, timezone);
      let period = periodAt(Date.parse('2025-12-31T12:00:00Z'));
      while (period.endsAt < Date.parse('2028-01-01T00:00:00Z')) {
        const next = periodAt(period.endsAt);
        assert.equal(next.startsAt, period.endsAt, `${timezone} ${kind} after ${period.name}`);
        assert.equal(periodAt(period.endsAt - 1).name, period.name, `${timezone} ${kind} before its end`);
        assert.ok(next.name > period.name);
        period = next;
      }
    }
});

test('a budget that never resets has one period', () => {
  assert.deepEqual(createBudgetPeriodResolver('total', 'UTC')(0), { name: 'ever', startsAt: 0, endsAt: 0 });
});

test('the counters of all periods have the names of these periods, and expire after their end in any time zone', () => {
  const kinds = ['day', 'week', 'month', 'total'] as const;
  for (const timezone of ['Etc/GMT+12', 'Pacific/Kiritimati', 'America/New_York', 'Africa/Cairo'])
    for (
      let atMs = Date.parse('2025-12-20T11:00:00Z');
      atMs < Date.parse('2028-03-02');
      atMs += 9 * HOUR_MS
    ) {
      const day = createBudgetPeriodResolver('day', timezone)(atMs).name;
      const bucket = formatBudgetCounterName('one', 'week', day, 'two');
      const charge = {
        orgId: 'a',
        endsAt: 0,
        nanoUsd: 1,
        limitNanoUsd: 1,
        name: 'one',
        mode: 'hard',
      } as const;
      const charges = listPeriodCharges({ ...charge, bucket, day, period: 'week' });
      for (const kind of kinds) {
        const { name, endsAt } = createBudgetPeriodResolver(kind, timezone)(atMs);
        const counted = charges.find((one) => one.bucket === `b:one:${kind}:${name}:two`);
        assert.ok(counted, `${timezone} ${kind} ${name}`);
        assert.equal(counted.isCurrentPeriod, kind === 'week');
        if (kind !== 'week') assert.ok(counted.endsAt >= endsAt, `${timezone} ${kind} ${name}`);
      }
      assert.equal(charges.length, kinds.length);
    }
});
