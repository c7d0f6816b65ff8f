import type { KeyScope } from './scopes.ts';

/** The roles of an organization's members. The role with the most permissions is first. */
export const MEMBER_ROLES = ['owner', 'admin', 'member', 'viewer'] as const;

export type MemberRole = (typeof MEMBER_ROLES)[number];

/**
 * The scopes of a console session by role. Operations check stricter conditions (owners, step-up)
 * themselves.
 */
export const ROLE_SCOPES: Readonly<Record<MemberRole, readonly KeyScope[]>> = {
  owner: ['gateway', 'monitoring', 'relay', 'management', 'read'],
  admin: ['gateway', 'monitoring', 'relay', 'management', 'read'],
  member: ['gateway', 'monitoring', 'read'],
  viewer: ['read'],
};

/** Returns the role with more permissions. */
export function getStrongerRole(one: MemberRole, other: MemberRole): MemberRole {
  return MEMBER_ROLES.indexOf(one) <= MEMBER_ROLES.indexOf(other) ? one : other;
}

/** Parses a stored role. @throws Error for an unknown role */
export function parseMemberRole(text: string): MemberRole {
  const role = MEMBER_ROLES.find((known) => known === text);
  if (!role) throw new Error(`"${text}" is not a role`);
  return role;
}
