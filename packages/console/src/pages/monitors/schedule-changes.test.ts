import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AuditEntry } from '@floe/contract/api/audit';
import { findScheduleChanges } from './schedule-changes.ts';

const entry = (before: AuditEntry['before'], after: AuditEntry['after']): AuditEntry => ({
  id: 'aud_1',
  at: '2026-11-21T12:00:00.000Z',
  actor: 'mem_1',
  actor_name: 'Mara Koch',
  actor_kind: 'member',
  action: 'monitors.update',
  subject: 'job',
  before,
  after,
  reason: null,
  ip_address: null,
  session_id: null,
  seq: 1,
  hash: null,
});
const settings = { name: 'Job', expected_interval_minutes: 60, schedule: null, grace_period_minutes: null };

test('a change of the schedule or the grace period names the old value and the author', () => {
  const [change] = findScheduleChanges([
    entry(settings, { ...settings, expected_interval_minutes: 30, grace_period_minutes: 2 }),
  ]);
  assert.equal(
    change?.words,
    'interval from 60 min to 30 min, grace period from organization default to 2 min',
  );
  assert.equal(change?.by, 'Mara Koch');
});

test('from an interval to a cron expression both are named', () => {
  const cron = { cron: '0 3 * * *', timezone: 'Asia/Tokyo' };
  const after = { ...settings, expected_interval_minutes: null, schedule: cron };
  assert.equal(
    findScheduleChanges([entry(settings, after)])[0]?.words,
    'interval from 60 min to none, schedule from none to 0 3 * * * Asia/Tokyo',
  );
});

test('another name, a creation and a removal move no deadline', () => {
  const entries = [
    entry(settings, { ...settings, name: 'Other' }),
    entry(null, settings),
    entry(settings, null),
  ];
  assert.deepEqual(findScheduleChanges(entries), []);
});
