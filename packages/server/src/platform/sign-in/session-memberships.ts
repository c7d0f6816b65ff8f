import { MEMBER_ROLES, type MemberRole } from '@floe/contract/roles';
import type { MembershipWithRolesRow } from '../../store/console-sessions.ts';

/** A membership, its organization and its role. */
export interface SessionMembership {
  readonly memberId: string;
  readonly org: { readonly id: string; readonly name: string };
  readonly role: MemberRole;
  readonly team: string | null;
}

/**
 * Returns the memberships and roles that apply in a session. In a session that an issuer started,
 * they are the roles that this issuer's groups grant and those that members assigned. Roles from
 * other issuers do not apply.
 *
 * @param rows result of `listMembershipsWithRoles` for the same issuer
 * @param issuer null for other sign-in methods, where all roles apply
 */
export function listSessionMemberships(
  rows: readonly MembershipWithRolesRow[],
  issuer: string | null,
): SessionMembership[] {
  return rows.flatMap((row) => {
    if (issuer === null || row.source !== 'oidc') return [toSessionMembership(row, row.role, row.team)];
    return row.granted_role === null ? [] : [toSessionMembership(row, row.granted_role, row.granted_team)];
  });
}

/**
 * Returns whether a session has all of its user's roles. Only such a session may add credentials or
 * act as an operator, because credentials give access to the whole account.
 */
export function hasAllRoles(rows: readonly MembershipWithRolesRow[], issuer: string | null): boolean {
  return issuer === null || rows.every((row) => row.source !== 'oidc' || row.granted_role === row.role);
}

function toSessionMembership(
  row: MembershipWithRolesRow,
  role: string,
  team: string | null,
): SessionMembership {
  return {
    memberId: row.member_id,
    org: { id: row.org_id, name: row.org_name },
    role: parseRole(role),
    team,
  };
}

/** An unknown role of a later release counts as the weakest one. */
function parseRole(text: string): MemberRole {
  return MEMBER_ROLES.find((role) => role === text) ?? 'viewer';
}
