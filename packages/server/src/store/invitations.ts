import { type RawBuilder, sql } from 'kysely';
import type { InvitationsTable } from './member-tables.ts';
import { getResourceListPage, type ListRequest, type RowPage } from './pagination.ts';
import type { DatabaseReader, DatabaseWriter } from './store-interfaces.ts';

export type InvitationRow = InvitationsTable;

export async function insertInvitation(writer: DatabaseWriter, invitation: InvitationRow): Promise<void> {
  await writer.insertInto('invitations').values(invitation).execute();
}

/**
 * Whether the member or key that created an invitation may still create it. Otherwise, no one can accept it. Admins and
 * keys cannot invite owners. An invitation remains valid when the key that created it expires.
 */
export const CREATOR_MAY_INVITE_CONDITION = sql<boolean>`(
  exists (
    select 1 from members
    where members.org_id = invitations.org_id and members.id = invitations.created_by
      and (members.role = 'owner' or (members.role = 'admin' and invitations.role <> 'owner'))
  )
  or exists (
    select 1 from platform_keys
    where platform_keys.org_id = invitations.org_id and platform_keys.id = invitations.created_by
      and platform_keys.revoked_at is null and platform_keys.scopes_json like '%"management"%'
  )
)`;

export type InvitationStatus = 'pending' | 'accepted' | 'expired' | 'revoked';

export interface InvitationFilters {
  readonly status?: InvitationStatus | undefined;
  readonly nowMs: number;
}

export interface ListedInvitationRow extends InvitationRow {
  /** A boolean in PostgreSQL, and 0 or 1 in SQLite. */
  readonly may_creator_invite: boolean | number;
}

const INVITATION_LIST_COLUMNS = {
  columns: { id: 'id', name: 'email', at: 'created_at' },
  valuesOf: ({ id, email: name, created_at: at }: InvitationRow) => ({ id, name, at }),
};

/**
 * Returns a page of an organization's invitations in the requested order. The email address is
 * used as their name.
 */
export function getInvitationPage(
  reader: DatabaseReader,
  request: ListRequest & InvitationFilters,
): Promise<RowPage<ListedInvitationRow>> {
  const { status, nowMs } = request;
  let query = reader
    .selectFrom('invitations')
    .selectAll()
    .select(CREATOR_MAY_INVITE_CONDITION.as('may_creator_invite'))
    .where('org_id', '=', request.orgId);
  if (status !== undefined) query = query.where(statusConditions(nowMs)[status]);
  return getResourceListPage(reader, query, INVITATION_LIST_COLUMNS, request);
}

function statusConditions(nowMs: number): Readonly<Record<InvitationStatus, RawBuilder<boolean>>> {
  const isOpen = sql<boolean>`accepted_at is null and revoked_at is null and expires_at > ${nowMs}`;
  return {
    accepted: sql`accepted_at is not null`,
    revoked: sql`(revoked_at is not null or (${isOpen} and not ${CREATOR_MAY_INVITE_CONDITION}))`,
    expired: sql`(accepted_at is null and revoked_at is null and expires_at <= ${nowMs})`,
    pending: sql`(${isOpen} and ${CREATOR_MAY_INVITE_CONDITION})`,
  };
}

export function findInvitationById(
  reader: DatabaseReader,
  orgId: string,
  id: string,
): Promise<InvitationRow | undefined> {
  return reader
    .selectFrom('invitations')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/**
 * Returns the invitation with this token, in any organization. Returns undefined if its creator may no longer create it.
 * @param tokenSha256 SHA-256 hash of the token, in hex
 */
export function findInvitationByToken(
  reader: DatabaseReader,
  tokenSha256: string,
): Promise<InvitationRow | undefined> {
  return reader
    .selectFrom('invitations')
    .selectAll()
    .where('token_sha256', '=', tokenSha256)
    .where(CREATOR_MAY_INVITE_CONDITION)
    .executeTakeFirst();
}

/**
 * Returns an organization's invitations to an email address that are not accepted, revoked or expired. If their creator
 * may no longer create them, they cannot be accepted at the moment.
 */
export function listPendingInvitations(
  reader: DatabaseReader,
  orgId: string,
  email: string,
  nowMs: number,
): Promise<ListedInvitationRow[]> {
  return reader
    .selectFrom('invitations')
    .selectAll()
    .select(CREATOR_MAY_INVITE_CONDITION.as('may_creator_invite'))
    .where('org_id', '=', orgId)
    .where('email', '=', email)
    .where('accepted_at', 'is', null)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', nowMs)
    .execute();
}

/** Returns how many invitations an organization has created after a time. */
export async function countInvitationsSince(
  reader: DatabaseReader,
  orgId: string,
  sinceMs: number,
): Promise<number> {
  const { count } = await reader
    .selectFrom('invitations')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('org_id', '=', orgId)
    .where('created_at', '>', sinceMs)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Revokes the open invitations that name a team, even if their creator may no longer create them. */
export async function revokeInvitationsOfTeam(
  writer: DatabaseWriter,
  orgId: string,
  team: string,
  nowMs: number,
): Promise<void> {
  await writer
    .updateTable('invitations')
    .set({ revoked_at: nowMs })
    .where('org_id', '=', orgId)
    .where('team', '=', team)
    .where('accepted_at', 'is', null)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', nowMs)
    .execute();
}

export async function updateInvitation(
  writer: DatabaseWriter,
  id: string,
  change: Partial<Pick<InvitationRow, 'accepted_at' | 'accepted_by' | 'revoked_at'>>,
): Promise<void> {
  await writer.updateTable('invitations').set(change).where('id', '=', id).execute();
}
