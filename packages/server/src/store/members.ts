import type { MembersTable, UsersTable } from './member-tables.ts';
import { type ListRequest, type Page, pageOf } from './pages.ts';
import type { Reader, Writer } from './ports.ts';

export type UserRow = UsersTable;
export type MemberRow = MembersTable;

/** @throws Fault `conflict` when the id or the email exists */
export async function insertUser(writer: Writer, user: UserRow): Promise<void> {
  await writer.insertInto('users').values(user).execute();
}

export function userByEmail(reader: Reader, email: string): Promise<UserRow | undefined> {
  return reader.selectFrom('users').selectAll().where('email', '=', email.toLowerCase()).executeTakeFirst();
}

export function userById(reader: Reader, id: string): Promise<UserRow | undefined> {
  return reader.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function changeUser(
  writer: Writer,
  id: string,
  change: Partial<Omit<UserRow, 'id'>>,
): Promise<void> {
  await writer.updateTable('users').set(change).where('id', '=', id).execute();
}

/** @throws Fault `conflict` when the person belongs to the org already */
export async function insertMember(writer: Writer, member: MemberRow): Promise<void> {
  await writer.insertInto('members').values(member).execute();
}

/** The orgs a person belongs to, the oldest membership first. */
export function membershipsOf(reader: Reader, userId: string): Promise<MemberRow[]> {
  return reader
    .selectFrom('members')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

export function memberById(reader: Reader, orgId: string, id: string): Promise<MemberRow | undefined> {
  return reader
    .selectFrom('members')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Whether anybody owns anything here. */
export async function hasOwner(reader: Reader): Promise<boolean> {
  const found = await reader
    .selectFrom('members')
    .select('id')
    .where('role', '=', 'owner')
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

export function memberOf(reader: Reader, orgId: string, userId: string): Promise<MemberRow | undefined> {
  return reader
    .selectFrom('members')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('user_id', '=', userId)
    .executeTakeFirst();
}

/** A member together with the person. */
export interface MemberWithUser extends MemberRow {
  readonly email: string;
  readonly name: string;
}

function withUsers(reader: Reader, orgId: string) {
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

const LISTING = {
  columns: { id: 'members.id', name: 'users.name', at: 'members.created_at' },
  place: ({ id, name, created_at: at }: MemberWithUser) => ({ id, name, at }),
};

/** Members of an org, in the order asked for. */
export function memberPage(
  reader: Reader,
  request: ListRequest & MemberFilters,
): Promise<Page<MemberWithUser>> {
  let query = withUsers(reader, request.orgId);
  if (request.role !== undefined) query = query.where('members.role', '=', request.role);
  if (request.team !== undefined) query = query.where('members.team', '=', request.team);
  return pageOf(reader, query, LISTING, request);
}

export function memberWithUser(
  reader: Reader,
  orgId: string,
  id: string,
): Promise<MemberWithUser | undefined> {
  return withUsers(reader, orgId).where('members.id', '=', id).executeTakeFirst();
}

/** The member of an org with this address. */
export function memberByEmail(
  reader: Reader,
  orgId: string,
  email: string,
): Promise<MemberWithUser | undefined> {
  return withUsers(reader, orgId).where('users.email', '=', email.toLowerCase()).executeTakeFirst();
}

export async function countOwners(reader: Reader, orgId: string): Promise<number> {
  const { count } = await reader
    .selectFrom('members')
    .select(({ fn }) => fn.countAll<number | string>().as('count'))
    .where('org_id', '=', orgId)
    .where('role', '=', 'owner')
    .executeTakeFirstOrThrow();
  return Number(count);
}

export async function changeMember(
  writer: Writer,
  orgId: string,
  id: string,
  change: Partial<Pick<MemberRow, 'role' | 'team' | 'source' | 'updated_at' | 'updated_by'>>,
): Promise<void> {
  await writer.updateTable('members').set(change).where('org_id', '=', orgId).where('id', '=', id).execute();
}

export async function deleteMember(writer: Writer, orgId: string, id: string): Promise<void> {
  await writer.deleteFrom('members').where('org_id', '=', orgId).where('id', '=', id).execute();
}
