import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Member } from '@floe/contract/api/members';
import type { MemberRole } from '@floe/contract/roles';
import {
  describeMemberRemoval,
  explainMemberRestriction,
  isDemotion,
  listAssignableRoles,
} from './member-rules.ts';

function member(id: string, role: MemberRole): Member {
  const at = '2027-01-01T00:00:00.000Z';
  return {
    id,
    user_id: `usr_${id}`,
    email: `${id}@acme.example`,
    name: id,
    role,
    team: null,
    source: 'console',
    created_at: at,
    updated_at: at,
    updated_by: 'setup',
  };
}

test('the last owner cannot be changed, and only owners can change owners', () => {
  const [one, other, plain] = [member('one', 'owner'), member('other', 'owner'), member('plain', 'member')];
  assert.match(explainMemberRestriction(one, [one, plain], 'owner') ?? '', /last owner/);
  assert.equal(explainMemberRestriction(one, [one, other], 'owner'), null);
  assert.match(explainMemberRestriction(one, [one, other], 'admin') ?? '', /Only owners/);
  assert.equal(explainMemberRestriction(plain, [one, plain], 'admin'), null);
});

test('only an owner can assign the role owner', () => {
  assert.deepEqual(listAssignableRoles('admin'), ['admin', 'member', 'viewer']);
  assert.equal(listAssignableRoles('owner')[0], 'owner');
});

test('a lower role is one that can do less', () => {
  assert.equal(isDemotion('admin', 'viewer'), true);
  assert.equal(isDemotion('viewer', 'admin'), false);
  assert.equal(isDemotion('member', 'member'), false);
});

test('the effect of a removal names the keys that are revoked', () => {
  assert.match(describeMemberRemoval('Jo', ['ci', 'agents']), /These 2 keys will be revoked: ci, agents\./);
  assert.match(describeMemberRemoval('Jo', []), /They own no keys/);
  assert.match(describeMemberRemoval('Jo', null), /All keys that they own will be revoked/);
});
