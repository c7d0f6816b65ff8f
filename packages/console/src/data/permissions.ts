import { MEMBER_ROLES, type MemberRole } from '@floe/contract/roles';
import { joinWithOr } from '../format/words.ts';

/**
 * The role that each action requires (docs/contributing/design.md, “Permissions”). The server enforces
 * permissions. This table only disables controls whose requests the server would reject.
 */
const NEEDS = {
  playground: 'member',
  views: 'member',
  own_keys: 'member',
  monitoring: 'member',
  management: 'admin',
  relay: 'admin',
  members: 'admin',
  owners: 'owner',
} as const satisfies Readonly<Record<string, MemberRole>>;

/** An action that requires a permission. */
export type PermissionAction = keyof typeof NEEDS;

/** Returns whether a role has the permission for an action. */
export function isActionAllowed(role: MemberRole, action: PermissionAction): boolean {
  return MEMBER_ROLES.indexOf(role) <= MEMBER_ROLES.indexOf(NEEDS[action]);
}

/** Explains which role an action requires and whom to ask. Names up to three of the members in `people`. */
export function explainDenial(action: PermissionAction, people: readonly string[] = []): string {
  const role = NEEDS[action];
  const named = people.slice(0, MOST_NAMES);
  const who = joinWithOr(named) || (role === 'owner' ? 'an owner' : 'an owner or admin of this organization');
  return `Requires the ${role} role. Ask ${who}.`;
}

/** Returns the roles that have the permission for an action, in the order in which to ask their members. */
export function listRolesWithPermission(action: PermissionAction): readonly MemberRole[] {
  return NEEDS[action] === 'owner' ? ['owner'] : ['admin', 'owner'];
}

const MOST_NAMES = 3;
