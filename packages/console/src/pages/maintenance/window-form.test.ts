import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MaintenanceWindow } from '@floe/contract/api/maintenance';
import { toWindowBody, toWindowForm } from './window-form.ts';

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
  const body = toWindowBody(toWindowForm(WINDOW, 'Asia/Tokyo'));
  assert.deepEqual([body.schedule, body.duration_minutes], [{ cron: '0 2 * * 0' }, 90]);
  const own = { ...WINDOW, schedule: { cron: '0 2 * * 0', timezone: 'Europe/Riga' } };
  assert.deepEqual(toWindowBody(toWindowForm(own, 'Asia/Tokyo')).schedule, own.schedule);
});
