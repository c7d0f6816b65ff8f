import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Cron } from 'croner';
import type { MaintenanceWindowRow } from '../store/monitoring/maintenance-windows.ts';
import { findMaintenanceOccurrenceAt, listMaintenanceOccurrencesAfter } from './maintenance-occurrences.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOW = Date.UTC(2026, 10, 21, 12);

function windowOf(changes: Partial<MaintenanceWindowRow>): MaintenanceWindowRow {
  return {
    org_id: 'acme',
    id: 'window',
    name: 'Window',
    starts_at: null,
    ends_at: null,
    cron: null,
    timezone: null,
    duration_ms: null,
    monitors_json: '[]',
    tags_json: '[]',
    show_on_boards: 0,
    created_at: 0,
    updated_at: 0,
    updated_by: 'test',
    ...changes,
  };
}

test('the occurrences of a repeating window that has ended are not searched', (t) => {
  const searches = t.mock.method(Cron.prototype, 'nextRun');
  const ended = windowOf({ cron: '* * * * *', duration_ms: 168 * HOUR, ends_at: NOW - MINUTE });
  assert.deepEqual(listMaintenanceOccurrencesAfter(ended, NOW, 3), []);
  assert.ok(searches.mock.callCount() <= 1, `${searches.mock.callCount()} searches`);
});

test('an occurrence lasts for its duration although the clock changes for daylight saving time', () => {
  const nightly = windowOf({ cron: '30 2 * * *', timezone: 'Europe/Berlin', duration_ms: 2 * HOUR });
  // On 29 March 2026, the clock jumps from 2:00 to 3:00. On 25 October, the hour from 2:00 occurs twice.
  for (const [day, startsAt] of [
    [Date.UTC(2026, 2, 28, 22), Date.UTC(2026, 2, 29, 1)],
    [Date.UTC(2026, 9, 24, 21), Date.UTC(2026, 9, 25, 0, 30)],
  ] as const) {
    const [first, second] = listMaintenanceOccurrencesAfter(nightly, day, 2);
    assert.deepEqual(first, { startsAt, endsAt: startsAt + 2 * HOUR }, new Date(day).toISOString());
    assert.ok((second?.startsAt ?? 0) - startsAt > 22 * HOUR);
    assert.deepEqual(findMaintenanceOccurrenceAt(nightly, startsAt + 2 * HOUR - 1), first);
    assert.equal(findMaintenanceOccurrenceAt(nightly, startsAt + 2 * HOUR), null);
  }
});

test('occurrences that are longer than their interval overlap and never leave a moment without maintenance', () => {
  const hourly = windowOf({ cron: '0 * * * *', duration_ms: 90 * MINUTE });
  for (let at = NOW; at < NOW + 3 * HOUR; at += 10 * MINUTE)
    assert.notEqual(findMaintenanceOccurrenceAt(hourly, at), null);
  const capped = windowOf({ cron: '0 * * * *', duration_ms: 90 * MINUTE, ends_at: NOW + HOUR });
  assert.equal(findMaintenanceOccurrenceAt(capped, NOW + HOUR), null);
  assert.equal(findMaintenanceOccurrenceAt(capped, NOW + HOUR - 1)?.endsAt, NOW + HOUR);
});
