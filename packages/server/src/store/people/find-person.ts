import { sql } from 'kysely';
import type { AuditEntryRow } from '../audit-entries.ts';
import { findUserByEmail, type UserRow } from '../members.ts';
import { escapeLikePattern } from '../pagination.ts';
import type { DatabaseReader } from '../store-interfaces.ts';

/** The tables that associate a user with an organization. */
const USER_TABLES = ['members', 'removed_members', 'member_grants'] as const;

/**
 * Returns the account with this email address if it is or was a member of the organization; otherwise
 * undefined.
 */
export async function findUserOfCurrentOrFormerMember(
  reader: DatabaseReader,
  orgId: string,
  email: string,
): Promise<UserRow | undefined> {
  const user = await findUserByEmail(reader, email);
  if (!user) return undefined;
  for (const table of USER_TABLES) {
    const found = await reader
      .selectFrom(table)
      .select('user_id')
      .where('org_id', '=', orgId)
      .where('user_id', '=', user.id)
      .executeTakeFirst();
    if (found) return user;
  }
  return undefined;
}

/**
 * Returns whether another organization or the installation needs the account, so that it must not be deleted.
 * A membership in the organization itself also counts. Such a membership is new, because an erasure first
 * removes the old one.
 */
export async function isUserStillNeeded(
  reader: DatabaseReader,
  orgId: string,
  userId: string,
): Promise<boolean> {
  for (const table of USER_TABLES) {
    const rows = reader.selectFrom(table).select('user_id').where('user_id', '=', userId);
    const others = table === 'members' ? rows : rows.where('org_id', '<>', orgId);
    if (await others.limit(1).executeTakeFirst()) return true;
  }
  const operator = await reader
    .selectFrom('operators')
    .select('user_id')
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return operator !== undefined;
}

/**
 * Returns the audit entries about one membership, oldest first: changes to the member, and earlier erasures of the
 * member's data.
 */
export function listMembershipAuditEntries(
  reader: DatabaseReader,
  orgId: string,
  memberId: string,
): Promise<AuditEntryRow[]> {
  return selectMembershipEntries(reader, orgId).where('subject', '=', memberId).execute();
}

/** Returns the ids of former memberships whose audit entries contain the email address, latest first. */
export async function listFormerMemberIds(
  reader: DatabaseReader,
  orgId: string,
  email: string,
): Promise<string[]> {
  // The audit log stores the address as the API returns it, in lower case.
  const text = `%${escapeLikePattern(JSON.stringify({ email }).slice(1, -1))}%`;
  const rows = await selectMembershipEntries(reader, orgId)
    .where(sql<boolean>`(before_json like ${text} escape '!' or after_json like ${text} escape '!')`)
    .execute();
  const ids = rows.map(({ subject }) => subject).filter((subject) => subject.startsWith('mem_'));
  return [...new Set(ids.reverse())];
}

function selectMembershipEntries(reader: DatabaseReader, orgId: string) {
  return reader
    .selectFrom('audit')
    .selectAll()
    .where('org_id', '=', orgId)
    .where(sql<boolean>`rtrim(action, 'abcdefghijklmnopqrstuvwxyz_') in ('members.', 'people.')`)
    .orderBy('at')
    .orderBy('id');
}
