import { MEMBER_ROLES, type MemberRole } from '@floe/contract/roles';
import { joinWithOr } from '../format/words.ts';

/**
 * What controls ask for (docs/contributing/design.md, "Who may what"). The server decides; this table only keeps people from
 * running into its refusals.
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

export type PermissionAction = keyof typeof NEEDS;

/** True when a role is at least the one that the action needs. */
export function isActionAllowed(role: MemberRole, action: PermissionAction): boolean {
  return MEMBER_ROLES.indexOf(role) <= MEMBER_ROLES.indexOf(NEEDS[action]);
}

/** Why a control is switched off, and who can help: by name, as far as `people` who can are known. */
export function findDenialReason(action: PermissionAction, people: readonly string[] = []): string {
  const role = NEEDS[action];
  const named = people.slice(0, MOST_NAMES);
  const who = joinWithOr(named) || (role === 'owner' ? 'an owner' : 'an owner or admin of this organization');
  return `Requires the ${role} role. Ask ${who}.`;
}

/** The roles whose people can help with it, those asked first at the front: a member cannot give another a role. */
export function listRolesWithPermission(action: PermissionAction): readonly MemberRole[] {
  return NEEDS[action] === 'owner' ? ['owner'] : ['admin', 'owner'];
}

const MOST_NAMES = 3;
