import type { MemberGrantsTable, RemovedMembersTable } from './member-tables.ts';
import type { DatabaseReader, DatabaseWriter } from './ports.ts';

export type MemberGrantRow = MemberGrantsTable;
export type MemberRemovalRow = RemovedMembersTable;

/** Every grant of a person, in all orgs. */
export function listMemberGrants(reader: DatabaseReader, userId: string): Promise<MemberGrantRow[]> {
  return reader
    .selectFrom('member_grants')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('org_id')
    .orderBy('issuer')
    .execute();
}

/** Adds what an issuer grants, or replaces what it granted before. */
export async function upsertMemberGrant(writer: DatabaseWriter, grant: MemberGrantRow): Promise<void> {
  const { role, team } = grant;
  await writer
    .insertInto('member_grants')
    .values(grant)
    .onConflict((conflict) => conflict.columns(['org_id', 'user_id', 'issuer']).doUpdateSet({ role, team }))
    .execute();
}

/** Withdraws the grant of one issuer, or of all of them. */
export async function deleteMemberGrants(
  writer: DatabaseWriter,
  orgId: string,
  userId: string,
  issuer?: string,
): Promise<void> {
  let query = writer.deleteFrom('member_grants').where('org_id', '=', orgId).where('user_id', '=', userId);
  if (issuer !== undefined) query = query.where('issuer', '=', issuer);
  await query.execute();
}

/** Ids of the orgs that removed a person. */
export async function listOrgsThatRemovedUser(
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

/** A removed person, as their org lists them. */
export interface MemberRemovalWithUser extends MemberRemovalRow {
  readonly email: string;
  readonly name: string;
}

/** Removals of an org that were not undone, the newest first. */
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

/** Undoes a removal; false when there is none. */
export async function deleteMemberRemoval(
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
