import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findActiveMaintenanceWindow } from './active-maintenance.ts';

const MONITOR = { id: 'sync', tags: ['db'] };
const ACTIVE = { active_until: '2026-11-29T06:00:00Z', monitors: [], tags: [] };

test('an active window applies to monitors by id or tag, or to all monitors', () => {
  for (const [window, applies] of [
    [ACTIVE, true],
    [{ ...ACTIVE, monitors: ['sync'] }, true],
    [{ ...ACTIVE, tags: ['db'] }, true],
    [{ ...ACTIVE, monitors: ['feed'], tags: ['billing'] }, false],
    [{ ...ACTIVE, active_until: null }, false],
    [{ ...ACTIVE, active_until: '2026-11-29T04:00:00Z' }, false],
  ] as const)
    assert.equal(
      findActiveMaintenanceWindow([window], MONITOR, new Date('2026-11-29T05:00:00Z')) === window,
      applies,
    );
});
