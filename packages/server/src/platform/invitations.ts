import { createHash, randomBytes } from 'node:crypto';
import { Fault } from '@floe/contract/faults';
import type { JsonObject } from '@floe/contract/json';
import { type MemberRole, parseMemberRole } from '@floe/contract/roles';
import { createId } from '../core/ids.ts';
import { appendAuditEntry } from '../store/audit-entries.ts';
import {
  findInvitationByToken,
  type InvitationRow,
  insertInvitation,
  listPendingInvitations,
  updateInvitation,
} from '../store/invitations.ts';
import { undoMemberRemoval } from '../store/member-role-grants.ts';
import {
  findMemberByEmail,
  findMemberWithUser,
  findUserById,
  insertMember,
  type MemberRow,
} from '../store/members.ts';
import { findOrgById } from '../store/orgs.ts';
import type { DatabaseReader, DatabaseWriter } from '../store/store-interfaces.ts';
import type { ChangeActorAndTime } from './member-keys.ts';
import { toInvitationResource, toMemberResource } from './stored-member.ts';

/** 256 random bits. Shown once, in the fragment of a link. */
function newInvitationToken(): { readonly token: string; readonly sha256: string } {
  const token = randomBytes(32).toString('base64url');
  return { token, sha256: hashInvitationToken(token) };
}

function hashInvitationToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** An invited email address and the role that the person will have. */
export interface NewInvitation {
  /** Id of the invitation. */
  readonly id: string;
  readonly orgId: string;
  readonly email: string;
  readonly role: MemberRole;
  readonly team: string | null;
  /** Milliseconds. */
  readonly ttlMs: number;
}

/** A new invitation. The token is not stored, so the caller must show it now. */
export interface IssuedInvitation {
  readonly row: InvitationRow;
  readonly token: string;
  /** Earlier invitations of the address. They are revoked, so that only one link works. */
  readonly revoked: readonly InvitationRevocation[];
}

/** A revoked invitation in the form that the audit log records. */
export interface InvitationRevocation {
  readonly action: 'invitations.revoke';
  readonly subject: string;
  readonly before: JsonObject;
  readonly after: JsonObject;
}

/** Revokes the invitations to an address that can still be accepted. */
export async function revokePendingInvitations(
  writer: DatabaseWriter,
  orgId: string,
  email: string,
  nowMs: number,
): Promise<InvitationRevocation[]> {
  const revoked: InvitationRevocation[] = [];
  for (const row of await listPendingInvitations(writer, orgId, email, nowMs)) {
    await updateInvitation(writer, row.id, { revoked_at: nowMs });
    revoked.push({
      action: 'invitations.revoke',
      subject: row.id,
      before: toInvitationResource(row, nowMs),
      after: toInvitationResource({ ...row, revoked_at: nowMs }, nowMs),
    });
  }
  return revoked;
}

/**
 * Creates an invitation for an email address, whether or not an account with this address exists. Revokes earlier
 * invitations to the address.
 * @throws Fault `conflict` if the address belongs to a member
 */
export async function issueInvitation(
  writer: DatabaseWriter,
  place: NewInvitation,
  { by, nowMs }: ChangeActorAndTime,
): Promise<IssuedInvitation> {
  const { id, orgId, email, role, team, ttlMs } = place;
  if (await findMemberByEmail(writer, orgId, email))
    throw new Fault('conflict', `${email} is already a member.`, { param: 'email' });
  const revoked = await revokePendingInvitations(writer, orgId, email, nowMs);
  const { token, sha256 } = newInvitationToken();
  const row: InvitationRow = {
    id,
    org_id: orgId,
    email,
    role,
    team,
    token_sha256: sha256,
    created_at: nowMs,
    created_by: by,
    expires_at: nowMs + ttlMs,
    accepted_at: null,
    accepted_by: null,
    revoked_at: null,
  };
  await insertInvitation(writer, row);
  return { row, token, revoked };
}

/** What an invitation's page shows before the invitation is accepted. */
export interface InvitationDetails {
  readonly orgId: string;
  readonly orgName: string;
  /** Lower case. The accepting account must have this address. */
  readonly email: string;
  readonly role: MemberRole;
  readonly expiresAt: number;
}

/**
 * Returns the details of the invitation to which a token belongs, for its page. Does not reveal whether
 * the address has an account.
 * @throws Fault `not_found` with the same message for an unknown, used, expired or revoked token
 */
export async function requireInvitationDetails(
  reader: DatabaseReader,
  token: string,
  nowMs: number,
): Promise<InvitationDetails> {
  const row = await requireUsableInvitation(reader, token, nowMs);
  const org = await findOrgById(reader, row.org_id);
  return {
    orgId: row.org_id,
    orgName: org?.name ?? row.org_id,
    email: row.email,
    role: parseMemberRole(row.role),
    expiresAt: row.expires_at,
  };
}

/**
 * Accepts an invitation and makes a user a member. The token can be used only once. The caller must
 * have verified the person in the same transaction: `userId` is the id of a row of `users` with the invited
 * address. Writes the membership, marks the invitation as used, and appends the audit entry
 * `invitations.accept` with the new member as the actor. Does not start a session.
 *
 * @throws Fault `not_found` for an unknown, used, expired or revoked token (same message) and for
 * an account with another address; `conflict` if the user is already a member, whose role does not
 * change
 */
export async function acceptInvitation(
  writer: DatabaseWriter,
  { token, userId, nowMs }: { readonly token: string; readonly userId: string; readonly nowMs: number },
): Promise<MemberRow> {
  const invitation = await requireUsableInvitation(writer, token, nowMs);
  const user = await findUserById(writer, userId);
  if (!user || user.email !== invitation.email) throw invalidInvitationFault();
  if (await findMemberByEmail(writer, invitation.org_id, user.email))
    throw new Fault('conflict', 'You already belong to this organization. Sign in.');
  const row = toMemberRow(invitation, userId, nowMs);
  await undoMemberRemoval(writer, row.org_id, userId);
  await insertMember(writer, row);
  await updateInvitation(writer, invitation.id, { accepted_at: nowMs, accepted_by: row.id });
  const member = await findMemberWithUser(writer, row.org_id, row.id);
  await appendAuditEntry(writer, {
    id: createId('aud', nowMs),
    org_id: row.org_id,
    at: nowMs,
    actor: row.id,
    actor_name: user.email,
    action: 'invitations.accept',
    subject: invitation.id,
    before_json: JSON.stringify(toInvitationResource(invitation, nowMs)),
    after_json: JSON.stringify(member ? toMemberResource(member) : null),
  });
  return row;
}

function toMemberRow(invitation: InvitationRow, userId: string, nowMs: number): MemberRow {
  const id = createId('mem', nowMs);
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

async function requireUsableInvitation(
  reader: DatabaseReader,
  token: string,
  nowMs: number,
): Promise<InvitationRow> {
  const row = await findInvitationByToken(reader, hashInvitationToken(token));
  if (!row || row.accepted_at !== null || row.revoked_at !== null || row.expires_at <= nowMs)
    throw invalidInvitationFault();
  return row;
}

function invalidInvitationFault(): Fault {
  return new Fault('not_found', 'This invitation is not valid or has expired. Ask for a new invitation.');
}
