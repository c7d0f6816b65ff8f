import type { InvitationsTable } from './member-tables.ts';
import { getResourceListPage, type ListRequest, type RowPage } from './pagination.ts';
import type { DatabaseReader, DatabaseWriter } from './store-interfaces.ts';

export type InvitationRow = InvitationsTable;

export async function insertInvitation(writer: DatabaseWriter, invitation: InvitationRow): Promise<void> {
  await writer.insertInto('invitations').values(invitation).execute();
}

export interface InvitationFilters {
  readonly status?: 'pending' | 'accepted' | 'expired' | 'revoked' | undefined;
  readonly nowMs: number;
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
): Promise<RowPage<InvitationRow>> {
  const { status, nowMs } = request;
  let query = reader.selectFrom('invitations').selectAll().where('org_id', '=', request.orgId);
  if (status === 'accepted') query = query.where('accepted_at', 'is not', null);
  if (status === 'revoked') query = query.where('revoked_at', 'is not', null);
  if (status === 'pending' || status === 'expired')
    query = query
      .where('accepted_at', 'is', null)
      .where('revoked_at', 'is', null)
      .where('expires_at', status === 'pending' ? '>' : '<=', nowMs);
  return getResourceListPage(reader, query, INVITATION_LIST_COLUMNS, request);
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
 * Returns the invitation with this token, in any organization.
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
    .executeTakeFirst();
}

/** Returns an organization's invitations to an email address that can still be accepted. */
export function listPendingInvitations(
  reader: DatabaseReader,
  orgId: string,
  email: string,
  nowMs: number,
): Promise<InvitationRow[]> {
  return reader
    .selectFrom('invitations')
    .selectAll()
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

export async function updateInvitation(
  writer: DatabaseWriter,
  id: string,
  change: Partial<Pick<InvitationRow, 'accepted_at' | 'accepted_by' | 'revoked_at'>>,
): Promise<void> {
  await writer.updateTable('invitations').set(change).where('id', '=', id).execute();
}
