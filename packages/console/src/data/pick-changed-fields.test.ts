import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pickChangedFields } from './pick-changed-fields.ts';

test('an update contains the fields that differ, fields that are new and lists as a whole', () => {
  const unchanged = { name: 'backup', tags: ['Acme', 'Inc.'], schedule: null };
  assert.deepEqual(pickChangedFields({ ...unchanged }, structuredClone(unchanged)), {});
  const body = { name: 'backup', tags: ['db'], schedule: { cron: '0 3 * * *' }, secret: 's' };
  assert.deepEqual(pickChangedFields(body, unchanged), {
    tags: ['db'],
    schedule: { cron: '0 3 * * *' },
    secret: 's',
  });
});
