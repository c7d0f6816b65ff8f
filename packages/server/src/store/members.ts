import type { MembersTable, UsersTable } from './member-tables.ts';
import { getResourceListPage, type ListRequest, type RowPage } from './pagination.ts';
import type { DatabaseReader, DatabaseWriter } from './store-interfaces.ts';

export type UserRow = UsersTable;
export type MemberRow = MembersTable;

/**
 * Inserts a user.
 * @throws Fault `conflict` if the id or the email address already exists
 */
export async function insertUser(writer: DatabaseWriter, user: UserRow): Promise<void> {
  await writer.insertInto('users').values(user).execute();
}

export function findUserByEmail(reader: DatabaseReader, email: string): Promise<UserRow | undefined> {
  return reader.selectFrom('users').selectAll().where('email', '=', email.toLowerCase()).executeTakeFirst();
}

export function findUserById(reader: DatabaseReader, id: string): Promise<UserRow | undefined> {
  return reader.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function updateUser(
  writer: DatabaseWriter,
  id: string,
  change: Partial<Omit<UserRow, 'id'>>,
): Promise<void> {
  await writer.updateTable('users').set(change).where('id', '=', id).execute();
}

/**
 * Inserts a membership.
 * @throws Fault `conflict` if the user already belongs to the organization
 */
export async function insertMember(writer: DatabaseWriter, member: MemberRow): Promise<void> {
  await writer.insertInto('members').values(member).execute();
}

/** Returns a user's memberships, oldest first. */
export function listMembershipsOfUser(reader: DatabaseReader, userId: string): Promise<MemberRow[]> {
  return reader
    .selectFrom('members')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

export function findMemberById(
  reader: DatabaseReader,
  orgId: string,
  id: string,
): Promise<MemberRow | undefined> {
  return reader
    .selectFrom('members')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Returns whether any organization has an owner. */
export async function hasAnyOrgOwner(reader: DatabaseReader): Promise<boolean> {
  const found = await reader
    .selectFrom('members')
    .select('id')
    .where('role', '=', 'owner')
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

export function findMemberByUserId(
  reader: DatabaseReader,
  orgId: string,
  userId: string,
): Promise<MemberRow | undefined> {
  return reader
    .selectFrom('members')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('user_id', '=', userId)
    .executeTakeFirst();
}

/** A membership and its user data. */
export interface MemberWithUser extends MemberRow {
  readonly email: string;
  readonly name: string;
}

function selectMembersWithUsers(reader: DatabaseReader, orgId: string) {
  return reader
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.user_id')
    .selectAll('members')
    .select(['users.email', 'users.name'])
    .where('members.org_id', '=', orgId);
}

export interface MemberFilters {
  readonly role?: string | undefined;
  readonly team?: string | undefined;
}

const MEMBER_LIST_COLUMNS = {
  columns: { id: 'members.id', name: 'users.name', at: 'members.created_at' },
  valuesOf: ({ id, name, created_at: at }: MemberWithUser) => ({ id, name, at }),
};

/** Returns a page of an organization's members in the requested order. */
export function getMemberPage(
  reader: DatabaseReader,
  request: ListRequest & MemberFilters,
): Promise<RowPage<MemberWithUser>> {
  let query = selectMembersWithUsers(reader, request.orgId);
  if (request.role !== undefined) query = query.where('members.role', '=', request.role);
  if (request.team !== undefined) query = query.where('members.team', '=', request.team);
  return getResourceListPage(reader, query, MEMBER_LIST_COLUMNS, request);
}

/** Returns the member of an organization with this id, including the name and email address of the user. */
export function findMemberWithUser(
  reader: DatabaseReader,
  orgId: string,
  id: string,
): Promise<MemberWithUser | undefined> {
  return selectMembersWithUsers(reader, orgId).where('members.id', '=', id).executeTakeFirst();
}

/** Returns an organization's member with this email address. */
export function findMemberByEmail(
  reader: DatabaseReader,
  orgId: string,
  email: string,
): Promise<MemberWithUser | undefined> {
  return selectMembersWithUsers(reader, orgId)
    .where('users.email', '=', email.toLowerCase())
    .executeTakeFirst();
}

export async function countOrgOwners(reader: DatabaseReader, orgId: string): Promise<number> {
  const { count } = await reader
    .selectFrom('members')
    .select(({ fn }) => fn.countAll<number | string>().as('count'))
    .where('org_id', '=', orgId)
    .where('role', '=', 'owner')
    .executeTakeFirstOrThrow();
  return Number(count);
}

export async function updateMember(
  writer: DatabaseWriter,
  orgId: string,
  id: string,
  change: Partial<Pick<MemberRow, 'role' | 'team' | 'source' | 'updated_at' | 'updated_by'>>,
): Promise<void> {
  await writer.updateTable('members').set(change).where('org_id', '=', orgId).where('id', '=', id).execute();
}

export async function deleteMember(writer: DatabaseWriter, orgId: string, id: string): Promise<void> {
  await writer.deleteFrom('members').where('org_id', '=', orgId).where('id', '=', id).execute();
}

/** Returns the email addresses of the organization's members among these ids, by id. */
export async function listMemberEmails(
  reader: DatabaseReader,
  orgId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await reader
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.user_id')
    .select(['members.id', 'users.email'])
    .where('members.org_id', '=', orgId)
    .where('members.id', 'in', [...new Set(ids)])
    .execute();
  return new Map(rows.map(({ id, email }) => [id, email]));
}
