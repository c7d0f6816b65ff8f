import type { MemberRemovalsTable, MemberRoleGrantsTable } from './member-tables.ts';
import type { DatabaseReader, DatabaseWriter } from './store-interfaces.ts';

export type MemberRoleGrantRow = MemberRoleGrantsTable;
export type MemberRemovalRow = MemberRemovalsTable;

/** Returns the roles that groups of identity providers grant a user, in all organizations. */
export function listMemberRoleGrants(reader: DatabaseReader, userId: string): Promise<MemberRoleGrantRow[]> {
  return reader
    .selectFrom('member_grants')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('org_id')
    .orderBy('issuer')
    .execute();
}

/** Inserts or replaces the role that an issuer's groups grant a user in an organization. */
export async function upsertMemberRoleGrant(
  writer: DatabaseWriter,
  grant: MemberRoleGrantRow,
): Promise<void> {
  const { role, team } = grant;
  await writer
    .insertInto('member_grants')
    .values(grant)
    .onConflict((conflict) => conflict.columns(['org_id', 'user_id', 'issuer']).doUpdateSet({ role, team }))
    .execute();
}

/** Deletes the roles that groups grant a user in an organization: those of one issuer, or of all issuers. */
export async function deleteMemberRoleGrants(
  writer: DatabaseWriter,
  orgId: string,
  userId: string,
  issuer?: string,
): Promise<void> {
  let query = writer.deleteFrom('member_grants').where('org_id', '=', orgId).where('user_id', '=', userId);
  if (issuer !== undefined) query = query.where('issuer', '=', issuer);
  await query.execute();
}

/** Returns the ids of the organizations that removed a user. */
export async function listOrgIdsOfMemberRemovals(
  reader: DatabaseReader,
  userId: string,
): Promise<ReadonlySet<string>> {
  const rows = await reader
    .selectFrom('removed_members')
    .select('org_id')
    .where('user_id', '=', userId)
    .execute();
  return new Set(rows.map(({ org_id }) => org_id));
}

/** A removed member and their user data. */
export interface MemberRemovalWithUser extends MemberRemovalRow {
  readonly email: string;
  readonly name: string;
}

/** Returns an organization's member removals that were not undone, newest first. */
export function listMemberRemovals(reader: DatabaseReader, orgId: string): Promise<MemberRemovalWithUser[]> {
  return reader
    .selectFrom('removed_members')
    .innerJoin('users', 'users.id', 'removed_members.user_id')
    .selectAll('removed_members')
    .select(['users.email', 'users.name'])
    .where('removed_members.org_id', '=', orgId)
    .orderBy('removed_members.removed_at', 'desc')
    .orderBy('removed_members.user_id', 'desc')
    .execute();
}

export async function insertMemberRemoval(writer: DatabaseWriter, removal: MemberRemovalRow): Promise<void> {
  await writer
    .insertInto('removed_members')
    .values(removal)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Deletes the record of a member's removal, so that groups can add the user again. Returns false if there is none. */
export async function undoMemberRemoval(
  writer: DatabaseWriter,
  orgId: string,
  userId: string,
): Promise<boolean> {
  const { numDeletedRows } = await writer
    .deleteFrom('removed_members')
    .where('org_id', '=', orgId)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
