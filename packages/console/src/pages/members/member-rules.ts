import type { Member } from '@floe/contract/api/members';
import { MEMBER_ROLES, type MemberRole } from '@floe/contract/roles';
import { membersText } from './text.ts';

/** Returns the roles that a member with this role may assign. Only owners may assign the owner role. */
export function listAssignableRoles(role: MemberRole): readonly MemberRole[] {
  return role === 'owner' ? MEMBER_ROLES : MEMBER_ROLES.filter((one) => one !== 'owner');
}

/**
 * Returns the reason why the user may not edit or remove this member, or null if there is no restriction.
 */
export function explainMemberRestriction(
  member: Member,
  all: readonly Member[],
  currentRole: MemberRole,
): string | null {
  const owners = all.filter(({ role }) => role === 'owner');
  if (member.role === 'owner' && owners.length === 1) return membersText.member.lastOwner;
  if (member.role === 'owner' && currentRole !== 'owner') return membersText.member.needsOwner;
  return null;
}

/**
 * Returns whether the new role has fewer permissions than the old one. If so, the keys of the member may lose
 * scopes.
 */
export function isDemotion(from: MemberRole, to: MemberRole): boolean {
  return MEMBER_ROLES.indexOf(to) > MEMBER_ROLES.indexOf(from);
}

/**
 * Describes the consequences of removing a member.
 * @param keys the names of the active keys that the member owns; null if they could not be loaded
 */
export function describeMemberRemoval(name: string, keys: readonly string[] | null): string {
  const { removal } = membersText.member;
  if (keys === null) return removal.effect(name, removal.unknownKeys);
  const ended =
    keys.length === 0
      ? removal.noKeys
      : keys.length === 1
        ? removal.oneKey(keys.join())
        : removal.keys(keys.length, keys.join(', '));
  return removal.effect(name, ended);
}
