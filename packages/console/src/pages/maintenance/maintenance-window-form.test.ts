import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MaintenanceWindow } from '@floe/contract/api/maintenance';
import {
  toMaintenanceWindowBody,
  toMaintenanceWindowFormValues,
  toMaintenanceWindowPatch,
} from './maintenance-window-form.ts';

const WINDOW: MaintenanceWindow = {
  id: 'mnt_1',
  name: 'Backups',
  starts_at: null,
  ends_at: null,
  schedule: { cron: '0 2 * * 0' },
  duration_minutes: 90,
  monitors: ['nightly'],
  tags: ['db'],
  show_on_boards: true,
  active_until: null,
  next: [],
  created_at: '2026-11-01T00:00:00.000Z',
  updated_at: '2026-11-01T00:00:00.000Z',
  updated_by: 'mem_1',
};

test('a window in the zone of the org stays in it, wherever somebody changes it', () => {
  const body = toMaintenanceWindowBody(toMaintenanceWindowFormValues(WINDOW, 'Asia/Tokyo'), WINDOW);
  assert.deepEqual([body.schedule, body.duration_minutes], [{ cron: '0 2 * * 0' }, 90]);
  const own = { ...WINDOW, schedule: { cron: '0 2 * * 0', timezone: 'Europe/Riga' } };
  assert.deepEqual(
    toMaintenanceWindowBody(toMaintenanceWindowFormValues(own, 'Asia/Tokyo'), own).schedule,
    own.schedule,
  );
});

test('an edit keeps the seconds of a single window and the time limits of a repeating one', () => {
  const limits = { starts_at: '2027-01-01T00:00:00.000Z', ends_at: '2027-03-01T00:00:00.000Z' };
  const repeating = { ...WINDOW, ...limits };
  const single = {
    ...WINDOW,
    schedule: null,
    duration_minutes: null,
    starts_at: '2027-01-10T02:00:30.500Z',
    ends_at: '2027-01-10T04:30:45.000Z',
  };
  for (const window of [repeating, single]) {
    const body = toMaintenanceWindowBody(
      { ...toMaintenanceWindowFormValues(window, 'UTC'), name: 'Other' },
      window,
    );
    assert.deepEqual(body, {
      name: 'Other',
      starts_at: window.starts_at,
      ends_at: window.ends_at,
      schedule: window.schedule,
      duration_minutes: window.duration_minutes,
      monitors: window.monitors,
      tags: window.tags,
      show_on_boards: true,
    });
  }
  const moved = toMaintenanceWindowBody(
    { ...toMaintenanceWindowFormValues(single, 'UTC'), start: '2027-01-11T03:00', length: '1 h' },
    single,
  );
  assert.equal(Date.parse(moved.ends_at ?? '') - Date.parse(moved.starts_at ?? ''), 3_600_000);
  assert.equal(
    toMaintenanceWindowBody({ ...toMaintenanceWindowFormValues(single, 'UTC'), kind: 'repeats' }, single)
      .starts_at,
    null,
  );
});

test('a tag that contains a comma stays whole when another tag is added', () => {
  const before = { ...WINDOW, tags: ['Acme, Inc.'] };
  const form = { ...toMaintenanceWindowFormValues(before, 'UTC'), tags: 'Acme, Inc., db' };
  assert.deepEqual(toMaintenanceWindowPatch(form, before), { tags: ['Acme, Inc.', 'db'] });
});
