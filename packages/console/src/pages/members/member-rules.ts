import type { Member } from '@floe/contract/api/members';
import { MEMBER_ROLES, type MemberRole } from '@floe/contract/roles';

/** Each role in a sentence. */
export const ROLE_WORDS: Readonly<Record<MemberRole, string>> = {
  owner: 'Everything, and who else is an owner.',
  admin: 'Everything but owners and new organizations.',
  member: 'Own keys, the playground, monitors, boards and channels; reads the rest.',
  viewer: 'Reads everything, changes nothing.',
};

/** The roles a person may give: nobody makes an owner but an owner. */
export function rolesToGive(role: MemberRole): readonly MemberRole[] {
  return role === 'owner' ? MEMBER_ROLES : MEMBER_ROLES.filter((one) => one !== 'owner');
}

/** Why the role of this member cannot be taken here, or they cannot be removed; null when it can be tried. */
export function holdOn(member: Member, all: readonly Member[], asker: MemberRole): string | null {
  const owners = all.filter(({ role }) => role === 'owner');
  if (member.role === 'owner' && owners.length === 1)
    return 'The last owner stays. Make somebody else an owner first.';
  if (member.role === 'owner' && asker !== 'owner') return 'Needs owner. Ask an owner.';
  return null;
}

/** True when the new role can do less than the old one: keys may lose scopes with it. */
export function isSmaller(from: MemberRole, to: MemberRole): boolean {
  return MEMBER_ROLES.indexOf(to) > MEMBER_ROLES.indexOf(from);
}

/** What removing a member ends, in a sentence. */
export function endsWith(name: string, keys: readonly string[]): string {
  const ended =
    keys.length === 0
      ? 'No key names them as its owner; keys they made for nobody are revoked too.'
      : `${keys.length === 1 ? 'This key is' : `These ${keys.length} keys are`} revoked: ${keys.join(', ')}.`;
  return `${name} is signed out everywhere at once. ${ended} What they changed stays in the audit log.`;
}
