import { ROLES, type Role } from '@floe/contract/roles';
import { anyOf } from '../format/words.ts';

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

/** Why a control is switched off, and who can help: by name, as far as `people` who can are known. */
export function refusal(action: Action, people: readonly string[] = []): string {
  const role = NEEDS[action];
  const named = people.slice(0, MOST_NAMES);
  const who = anyOf(named) || (role === 'owner' ? 'an owner' : 'an owner or admin of this org');
  return `Needs ${role}. Ask ${who}.`;
}

/** The roles whose people can help with it, those asked first at the front: a member cannot give another a role. */
export function helpersWith(action: Action): readonly Role[] {
  return NEEDS[action] === 'owner' ? ['owner'] : ['admin', 'owner'];
}

const MOST_NAMES = 3;
