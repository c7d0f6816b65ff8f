import type { InvitationResource, Member } from '@floe/contract/api/members';
import { parseMemberRole } from '@floe/contract/roles';
import type { InvitationRow, ListedInvitationRow } from '../store/invitations.ts';
import type { MemberWithUser } from '../store/members.ts';

/** Converts a member to the form that the API and the audit log use, without credentials. */
export function toMemberResource(row: MemberWithUser): Member {
  return {
    id: row.id,
    user_id: row.user_id,
    email: row.email,
    name: row.name,
    role: parseMemberRole(row.role),
    team: row.team,
    source: row.source === 'oidc' || row.source === 'setup' ? row.source : 'console',
    created_at: toIsoString(row.created_at),
    updated_at: toIsoString(row.updated_at),
    updated_by: row.updated_by,
  };
}

/**
 * Converts an invitation to the form that the API and the audit log use, without its token or hash.
 */
export function toInvitationResource(
  row: InvitationRow & Partial<ListedInvitationRow>,
  nowMs: number,
): InvitationResource {
  return {
    id: row.id,
    email: row.email,
    role: parseMemberRole(row.role),
    team: row.team,
    status: invitationStatus(row, nowMs),
    created_at: toIsoString(row.created_at),
    created_by: row.created_by,
    expires_at: toIsoString(row.expires_at),
    accepted_at: row.accepted_at === null ? null : toIsoString(row.accepted_at),
    revoked_at: row.revoked_at === null ? null : toIsoString(row.revoked_at),
  };
}

function invitationStatus(
  row: InvitationRow & Partial<ListedInvitationRow>,
  nowMs: number,
): InvitationResource['status'] {
  if (row.accepted_at !== null) return 'accepted';
  if (row.revoked_at !== null) return 'revoked';
  if (row.expires_at <= nowMs) return 'expired';
  return (row.may_creator_invite ?? true) ? 'pending' : 'revoked';
}

function toIsoString(ms: number): string {
  return new Date(ms).toISOString();
}
