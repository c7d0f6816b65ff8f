import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Member } from '@floe/contract/api/members';
import type { MemberRole } from '@floe/contract/roles';
import { endsWith, holdOn, isSmaller, rolesToGive } from './member-rules.ts';

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
  assert.match(holdOn(one, [one, plain], 'owner') ?? '', /last owner/);
  assert.equal(holdOn(one, [one, other], 'owner'), null);
  assert.match(holdOn(one, [one, other], 'admin') ?? '', /Only an owner/);
  assert.equal(holdOn(plain, [one, plain], 'admin'), null);
});

test('only an owner can assign the role owner', () => {
  assert.deepEqual(rolesToGive('admin'), ['admin', 'member', 'viewer']);
  assert.equal(rolesToGive('owner')[0], 'owner');
});

test('a lower role is one that can do less', () => {
  assert.equal(isSmaller('admin', 'viewer'), true);
  assert.equal(isSmaller('viewer', 'admin'), false);
  assert.equal(isSmaller('member', 'member'), false);
});

test('the effect of a removal names the keys that are revoked', () => {
  assert.match(endsWith('Jo', ['ci', 'agents']), /These 2 keys are revoked: ci, agents\./);
  assert.match(endsWith('Jo', []), /They own no keys/);
});
