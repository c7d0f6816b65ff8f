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
