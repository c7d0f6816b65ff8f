import { MEMBER_ROLES, type MemberRole } from '@floe/contract/roles';
import type { MembershipAccessRow } from '../../store/console-sessions.ts';

/** Where a member belongs. */
export interface SessionMembership {
  readonly memberId: string;
  readonly org: { readonly id: string; readonly name: string };
  readonly role: MemberRole;
  readonly team: string | null;
}

/**
 * The memberships that count in a session, with the roles they have there. A session that an issuer started has what the
 * groups of this issuer grant and what members gave by hand: another issuer's grants are not its to hand out.
 *
 * @param rows of `standingOf`, asked with the same issuer
 * @param issuer null for a session that no issuer started: every role counts
 */
export function sessionMemberships(
  rows: readonly MembershipAccessRow[],
  issuer: string | null,
): SessionMembership[] {
  return rows.flatMap((row) => {
    if (issuer === null || row.source !== 'oidc') return [toSessionMembership(row, row.role, row.team)];
    return row.granted_role === null ? [] : [toSessionMembership(row, row.granted_role, row.granted_team)];
  });
}

/**
 * Whether a session has every role of its person. Only such a one may add a way to sign in, or act as an operator: what it
 * adds would open the whole account.
 */
export function hasAllRoles(rows: readonly MembershipAccessRow[], issuer: string | null): boolean {
  return issuer === null || rows.every((row) => row.source !== 'oidc' || row.granted_role === row.role);
}

function toSessionMembership(row: MembershipAccessRow, role: string, team: string | null): SessionMembership {
  return {
    memberId: row.member_id,
    org: { id: row.org_id, name: row.org_name },
    role: parseRole(role),
    team,
  };
}

/** A role of a newer release is the least one here. */
function parseRole(text: string): MemberRole {
  return MEMBER_ROLES.find((role) => role === text) ?? 'viewer';
}
