import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mapGroupsToMemberships } from './group-mapping.ts';

const map = [
  { group: 'staff', role: 'viewer' },
  { group: 'sre', role: 'admin', team: 'platform' },
  { group: 'leads', role: 'admin' },
  { group: 'dev', role: 'member', team: 'apps' },
  { group: 'dev', role: 'owner', team: 'lab', org: 'lab' },
] as const;
const placed = (groups: readonly string[], unmapped: 'refuse' | 'viewer' = 'refuse') =>
  mapGroupsToMemberships({ map, unmapped }, groups);

test('the strongest role of all groups applies, in any order', () => {
  for (const groups of [
    ['staff', 'sre', 'leads'],
    ['leads', 'sre', 'staff'],
  ])
    assert.deepEqual(placed(groups), [{ org: null, role: 'admin', team: 'platform' }]);
  assert.deepEqual(placed(['leads', 'staff']), [{ org: null, role: 'admin', team: null }]);
});

test('the team is one that belongs to the role', () => {
  assert.deepEqual(placed(['dev', 'leads'])[0], { org: null, role: 'admin', team: null });
});

test('each organization has its own role and team', () => {
  assert.deepEqual(placed(['dev']), [
    { org: null, role: 'member', team: 'apps' },
    { org: 'lab', role: 'owner', team: 'lab' },
  ]);
});

test('a person without a mapped group is rejected, or is a viewer if the file says so', () => {
  for (const groups of [[], ['SRE'], ['sre '], ['constructor']]) {
    assert.deepEqual(placed(groups), []);
    assert.deepEqual(placed(groups, 'viewer'), [{ org: null, role: 'viewer', team: null }]);
  }
});
