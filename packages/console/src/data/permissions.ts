import { ROLES, type Role } from '@floe/contract/roles';

/**
 * What controls ask for (docs/design.md, "Who may what"). The server decides; this table only keeps people from
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
} as const satisfies Readonly<Record<string, Role>>;

export type Action = keyof typeof NEEDS;

/** True when a role is at least the one that the action needs. */
export function can(role: Role, action: Action): boolean {
  return ROLES.indexOf(role) <= ROLES.indexOf(NEEDS[action]);
}

/** Why a control is switched off, and who can help. `admins` are names, as far as they are known. */
export function refusal(action: Action, admins: readonly string[] = []): string {
  const role = NEEDS[action];
  const who =
    admins.slice(0, 3).join(' or ') || (role === 'owner' ? 'an owner' : 'an owner or admin of this org');
  return `Needs ${role}. Ask ${who}.`;
}
