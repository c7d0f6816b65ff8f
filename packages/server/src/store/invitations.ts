import type { InvitationsTable } from './member-tables.ts';
import { decodeCursor, type Page, type PageRequest, toPage } from './pages.ts';
import type { Reader, Writer } from './ports.ts';

export type InvitationRow = InvitationsTable;

export async function insertInvitation(writer: Writer, invitation: InvitationRow): Promise<void> {
  await writer.insertInto('invitations').values(invitation).execute();
}

export interface InvitationFilters {
  readonly status?: 'pending' | 'accepted' | 'expired' | 'revoked' | undefined;
  readonly nowMs: number;
}

/** Invitations of an org, newest first. */
export async function invitationPage(
  reader: Reader,
  request: PageRequest & InvitationFilters,
): Promise<Page<InvitationRow>> {
  const { status, nowMs } = request;
  let query = reader.selectFrom('invitations').selectAll().where('org_id', '=', request.orgId);
  if (status === 'accepted') query = query.where('accepted_at', 'is not', null);
  if (status === 'revoked') query = query.where('revoked_at', 'is not', null);
  if (status === 'pending' || status === 'expired')
    query = query
      .where('accepted_at', 'is', null)
      .where('revoked_at', 'is', null)
      .where('expires_at', status === 'pending' ? '>' : '<=', nowMs);
  if (request.cursor !== undefined) {
    const { at, id } = decodeCursor(request.cursor);
    query = query.where(({ eb, refTuple, tuple }) => eb(refTuple('created_at', 'id'), '<', tuple(at, id)));
  }
  const rows = await query
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(request.limit + 1)
    .execute();
  return toPage(rows, request.limit, (row) => ({ at: row.created_at, id: row.id }));
}

export function invitationById(
  reader: Reader,
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

/** @param tokenSha256 hex; of any org. */
export function invitationByToken(reader: Reader, tokenSha256: string): Promise<InvitationRow | undefined> {
  return reader
    .selectFrom('invitations')
    .selectAll()
    .where('token_sha256', '=', tokenSha256)
    .executeTakeFirst();
}

/** Invitations of an address that can still be accepted. */
export function pendingInvitations(
  reader: Reader,
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

export async function changeInvitation(
  writer: Writer,
  id: string,
  change: Partial<Pick<InvitationRow, 'accepted_at' | 'accepted_by' | 'revoked_at'>>,
): Promise<void> {
  await writer.updateTable('invitations').set(change).where('id', '=', id).execute();
}
