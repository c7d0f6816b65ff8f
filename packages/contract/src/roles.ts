import type { KeyScope } from './scopes.ts';

/** What a member of an org may do, most first. */
export const MEMBER_ROLES = ['owner', 'admin', 'member', 'viewer'] as const;

export type MemberRole = (typeof MEMBER_ROLES)[number];

/**
 * The scopes that a console session of a member stands for. What only some of those who hold a scope may do
 * (owners, step-up) is asked for by the single verb.
 */
export const ROLE_SCOPES: Readonly<Record<MemberRole, readonly KeyScope[]>> = {
  owner: ['gateway', 'monitoring', 'relay', 'management', 'read'],
  admin: ['gateway', 'monitoring', 'relay', 'management', 'read'],
  member: ['gateway', 'monitoring', 'read'],
  viewer: ['read'],
};

/** The stronger of two roles: the one that stands first in `MEMBER_ROLES`. */
export function strongerRole(one: MemberRole, other: MemberRole): MemberRole {
  return MEMBER_ROLES.indexOf(one) <= MEMBER_ROLES.indexOf(other) ? one : other;
}

/** A role as it was stored. @throws Error for a word that is none */
export function parseMemberRole(text: string): MemberRole {
  const role = MEMBER_ROLES.find((known) => known === text);
  if (!role) throw new Error(`"${text}" is not a role`);
  return role;
}
