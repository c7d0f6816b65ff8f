import { createHash, randomBytes } from 'node:crypto';
import { Fault } from '@floe/contract/faults';
import { type Role, roleOf } from '@floe/contract/roles';
import { newId } from '../core/ids.ts';
import { appendAudit } from '../store/audit.ts';
import { deleteRemoval } from '../store/grants.ts';
import { changeInvitation, type InvitationRow, invitationByToken } from '../store/invitations.ts';
import { insertMember, type MemberRow, memberByEmail, memberWithUser, userById } from '../store/members.ts';
import { orgById } from '../store/orgs.ts';
import type { Reader, Writer } from '../store/ports.ts';
import { invitationView, memberView } from './stored-member.ts';

/** 256 random bits; shown once, in the fragment of a link. */
export function newInvitationToken(): { readonly token: string; readonly sha256: string } {
  const token = randomBytes(32).toString('base64url');
  return { token, sha256: sha256Of(token) };
}

function sha256Of(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** What the holder of a token may see before accepting. */
export interface OpenInvitation {
  readonly orgId: string;
  readonly orgName: string;
  /** Lower case: the address that the account which accepts must have. */
  readonly email: string;
  readonly role: Role;
  readonly expiresAt: number;
}

/**
 * The invitation behind a token, for the page that shows it. Says nothing about whether the address has an account.
 *
 * @throws Fault `not_found`, in the same words for a token that is unknown, used, expired or revoked
 */
export async function openInvitation(reader: Reader, token: string, nowMs: number): Promise<OpenInvitation> {
  const row = await usable(reader, token, nowMs);
  const org = await orgById(reader, row.org_id);
  return {
    orgId: row.org_id,
    orgName: org?.name ?? row.org_id,
    email: row.email,
    role: roleOf(row.role),
    expiresAt: row.expires_at,
  };
}

/**
 * Makes a person a member by the token of an invitation, which works this once. The caller has made sure who the
 * person is, in the same transaction where it made their account: `userId` is a row of `users` whose address is
 * the invited one. Writes the membership, the end of the invitation and the audit entry `invitations.accept`,
 * whose actor is the new member; begins no session.
 *
 * @throws Fault `not_found` for a token that is unknown, used, expired or revoked (same words), and for an account
 *   with another address; `conflict` when the person is a member already, whose role then stays as it is
 */
export async function acceptInvitation(
  writer: Writer,
  { token, userId, nowMs }: { readonly token: string; readonly userId: string; readonly nowMs: number },
): Promise<MemberRow> {
  const invitation = await usable(writer, token, nowMs);
  const user = await userById(writer, userId);
  if (!user || user.email !== invitation.email) throw notValid();
  if (await memberByEmail(writer, invitation.org_id, user.email))
    throw new Fault('conflict', 'You belong to this organization already. Sign in.');
  const row = memberOf(invitation, userId, nowMs);
  await deleteRemoval(writer, row.org_id, userId);
  await insertMember(writer, row);
  await changeInvitation(writer, invitation.id, { accepted_at: nowMs, accepted_by: row.id });
  const member = await memberWithUser(writer, row.org_id, row.id);
  await appendAudit(writer, {
    id: newId('aud', nowMs),
    org_id: row.org_id,
    at: nowMs,
    actor: row.id,
    actor_name: user.email,
    action: 'invitations.accept',
    subject: invitation.id,
    before_json: JSON.stringify(invitationView(invitation, nowMs)),
    after_json: JSON.stringify(member ? memberView(member) : null),
  });
  return row;
}

function memberOf(invitation: InvitationRow, userId: string, nowMs: number): MemberRow {
  const id = newId('mem', nowMs);
  return {
    id,
    org_id: invitation.org_id,
    user_id: userId,
    role: invitation.role,
    team: invitation.team,
    source: 'console',
    created_at: nowMs,
    updated_at: nowMs,
    updated_by: invitation.created_by,
  };
}

async function usable(reader: Reader, token: string, nowMs: number): Promise<InvitationRow> {
  const row = await invitationByToken(reader, sha256Of(token));
  if (!row || row.accepted_at !== null || row.revoked_at !== null || row.expires_at <= nowMs)
    throw notValid();
  return row;
}

function notValid(): Fault {
  return new Fault('not_found', 'This invitation is not valid, or not any more. Ask for a new one.');
}
