import type { Scope } from './scopes.ts';

/** What a member of an org may do, most first. */
export const ROLES = ['owner', 'admin', 'member', 'viewer'] as const;

export type Role = (typeof ROLES)[number];

/**
 * The scopes that a console session of a member stands for. What only some of those who hold a scope may do
 * (owners, step-up) is asked for by the single verb.
 */
export const SCOPES_OF_ROLE: Readonly<Record<Role, readonly Scope[]>> = {
  owner: ['gateway', 'monitoring', 'relay', 'management', 'read'],
  admin: ['gateway', 'monitoring', 'relay', 'management', 'read'],
  member: ['gateway', 'monitoring', 'read'],
  viewer: ['read'],
};

/** The stronger of two roles: the one that stands first in `ROLES`. */
export function strongerRole(one: Role, other: Role): Role {
  return ROLES.indexOf(one) <= ROLES.indexOf(other) ? one : other;
}

/** A role as it was stored. @throws Error for a word that is none */
export function roleOf(text: string): Role {
  const role = ROLES.find((known) => known === text);
  if (!role) throw new Error(`"${text}" is not a role`);
  return role;
}
