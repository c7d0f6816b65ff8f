import type { OidcConfig } from '@floe/contract/config';
import { type MemberRole, selectStrongerRole } from '@floe/contract/roles';

/** The role and team that a group mapping gives a person in an organization. */
export interface GroupMappedMembership {
  /** Null for the only organization of the installation. */
  readonly org: string | null;
  readonly role: MemberRole;
  readonly team: string | null;
}

/**
 * Maps an issuer's groups to memberships, according to an `auth.oidc` entry in floe.yaml. Returns at most one
 * membership per organization, with the matching role that has the most permissions. The team is taken from
 * the first entry that has this role and a team. Groups are compared exactly. With `unmapped: viewer`, a
 * person without a matching group becomes a viewer in the only organization. Otherwise, the list is empty,
 * and the sign-in is rejected.
 * @param groups the values of the claim that `group_claim` names
 */
export function mapGroupsToMemberships(
  { map, unmapped }: Pick<OidcConfig, 'map' | 'unmapped'>,
  groups: readonly string[],
): readonly GroupMappedMembership[] {
  const mine = new Set(groups);
  const places = new Map<string | null, GroupMappedMembership>();
  for (const { group, org = null, role, team = null } of map) {
    if (!mine.has(group)) continue;
    const found = places.get(org);
    const stronger = found ? selectStrongerRole(found.role, role) : role;
    if (!found || (stronger !== found.role && stronger === role)) places.set(org, { org, role, team });
    else if (found.role === role && found.team === null) places.set(org, { ...found, team });
  }
  if (places.size === 0 && unmapped === 'viewer') return [{ org: null, role: 'viewer', team: null }];
  return [...places.values()];
}
