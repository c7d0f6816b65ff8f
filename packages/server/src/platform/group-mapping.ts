import type { OidcConfig } from '@floe/contract/config';
import { type MemberRole, strongerRole } from '@floe/contract/roles';

/** What a person becomes where. */
export interface MappedMembership {
  /** Null for the only org of the installation. */
  readonly org: string | null;
  readonly role: MemberRole;
  readonly team: string | null;
}

/**
 * What an issuer's groups make of a person: one place for each org that the map names for one of them, with the
 * strongest role among its entries; the team is that of the first entry with that role which names one. Groups are
 * compared as they stand. Who is in no mapped group is a viewer of the only org with `unmapped: viewer`; otherwise
 * the list is empty, and the sign-in is refused.
 *
 * @param issuer `auth.oidc[]` of floe.yaml
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
    const stronger = found ? strongerRole(found.role, role) : role;
    if (!found || (stronger !== found.role && stronger === role)) places.set(org, { org, role, team });
    else if (found.role === role && found.team === null) places.set(org, { ...found, team });
  }
  if (places.size === 0 && unmapped === 'viewer') return [{ org: null, role: 'viewer', team: null }];
  return [...places.values()];
}
