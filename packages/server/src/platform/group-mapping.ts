import type { OidcConfig } from '@floe/contract/config';
import { getStrongerRole, type MemberRole } from '@floe/contract/roles';

/** The role of a person in an organization. */
export interface MappedMembership {
  /** Null for the only organization of the installation. */
  readonly org: string | null;
  readonly role: MemberRole;
  readonly team: string | null;
}

/**
 * Maps the groups of an issuer to memberships: at most one per organization, with the strongest role of the
 * matching entries. The team is that of the first entry with this role that has a team. Groups are compared
 * exactly. With `unmapped: viewer`, a person without a matching group is a viewer of the only organization.
 * Otherwise the list is empty, and the sign-in is rejected.
 *
 * The first parameter is an entry of `auth.oidc` in floe.yaml.
 *
 * @param groups values of the claim that `group_claim` names
 */
export function mapGroupsToMemberships(
  { map, unmapped }: Pick<OidcConfig, 'map' | 'unmapped'>,
  groups: readonly string[],
): readonly MappedMembership[] {
  const mine = new Set(groups);
  const places = new Map<string | null, MappedMembership>();
  for (const { group, org = null, role, team = null } of map) {
    if (!mine.has(group)) continue;
    const found = places.get(org);
    const stronger = found ? getStrongerRole(found.role, role) : role;
    if (!found || (stronger !== found.role && stronger === role)) places.set(org, { org, role, team });
    else if (found.role === role && found.team === null) places.set(org, { ...found, team });
  }
  if (places.size === 0 && unmapped === 'viewer') return [{ org: null, role: 'viewer', team: null }];
  return [...places.values()];
}
