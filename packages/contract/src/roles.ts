import type { KeyScope } from './scopes.ts';

/** The roles of an organization's members. The role with the most permissions is first. */
export const MEMBER_ROLES = ['owner', 'admin', 'member', 'viewer'] as const;

export type MemberRole = (typeof MEMBER_ROLES)[number];

/**
 * The scopes of a console session, by role. Some operations also require the owner role or a step-up. These
 * operations check this themselves.
 */
export const ROLE_SCOPES: Readonly<Record<MemberRole, readonly KeyScope[]>> = {
  owner: ['gateway', 'monitoring', 'relay', 'management', 'read'],
  admin: ['gateway', 'monitoring', 'relay', 'management', 'read'],
  member: ['gateway', 'monitoring', 'read'],
  viewer: ['read'],
};

/** Returns the role with more permissions. */
export function selectStrongerRole(one: MemberRole, other: MemberRole): MemberRole {
  return MEMBER_ROLES.indexOf(one) <= MEMBER_ROLES.indexOf(other) ? one : other;
}

/**
 * Returns the role with this name.
 * @throws Error if no role has this name
 */
export function parseMemberRole(text: string): MemberRole {
  const role = MEMBER_ROLES.find((known) => known === text);
  if (!role) throw new Error(`the role must be one of ${MEMBER_ROLES.join(', ')}, got "${text}"`);
  return role;
}
