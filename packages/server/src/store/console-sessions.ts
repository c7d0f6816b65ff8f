import type { ConsoleSessionsTable } from './sign-in-tables.ts';
import type { DatabaseReader, DatabaseWriter } from './store-interfaces.ts';

export type ConsoleSessionRow = ConsoleSessionsTable;

export async function insertConsoleSession(
  writer: DatabaseWriter,
  session: ConsoleSessionRow,
): Promise<void> {
  await writer.insertInto('sessions').values(session).execute();
}

/**
 * Returns the session that a cookie belongs to, even if the session has expired. After a cookie
 * rotation, the old cookie is valid until `previous_until`.
 */
export async function findConsoleSessionByToken(
  reader: DatabaseReader,
  sha256: string,
  nowMs: number,
): Promise<ConsoleSessionRow | undefined> {
  return (
    (await reader.selectFrom('sessions').selectAll().where('token_sha256', '=', sha256).executeTakeFirst()) ??
    (await reader
      .selectFrom('sessions')
      .selectAll()
      .where('previous_sha256', '=', sha256)
      .where('previous_until', '>', nowMs)
      .executeTakeFirst())
  );
}

/** Returns the session with this id, even if it has expired. */
export function findConsoleSessionById(
  reader: DatabaseReader,
  id: string,
): Promise<ConsoleSessionRow | undefined> {
  return reader.selectFrom('sessions').selectAll().where('id', '=', id).executeTakeFirst();
}

/** A user's membership in an organization, with the roles of the user. */
export interface MembershipWithRolesRow {
  readonly user_id: string;
  readonly email: string;
  readonly name: string;
  readonly member_id: string;
  readonly org_id: string;
  readonly org_name: string;
  /** The granted role with the most permissions. */
  readonly role: string;
  readonly team: string | null;
  /** `oidc` if groups grant the role. */
  readonly source: string;
  /** The role that the user's groups at the given issuer grant. Null if they grant none. */
  readonly granted_role: string | null;
  readonly granted_team: string | null;
  /** Set if the user is an operator; otherwise null. */
  readonly operator_id: string | null;
}

/**
 * Returns a user's memberships with their roles, oldest first.
 * @param issuer the issuer whose grants are also returned; null for none
 */
export function listMembershipsWithRoles(
  reader: DatabaseReader,
  userId: string,
  issuer: string | null,
): Promise<MembershipWithRolesRow[]> {
  return reader
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.user_id')
    .innerJoin('orgs', 'orgs.id', 'members.org_id')
    .leftJoin('operators', 'operators.user_id', 'members.user_id')
    .leftJoin('member_grants as own', (join) =>
      join
        .onRef('own.org_id', '=', 'members.org_id')
        .onRef('own.user_id', '=', 'members.user_id')
        .on('own.issuer', '=', issuer ?? ''),
    )
    .select([
      'users.id as user_id',
      'users.email as email',
      'users.name as name',
      'members.id as member_id',
      'orgs.id as org_id',
      'orgs.name as org_name',
      'members.role as role',
      'members.team as team',
      'members.source as source',
      'own.role as granted_role',
      'own.team as granted_team',
      'operators.user_id as operator_id',
    ])
    .where('members.user_id', '=', userId)
    .orderBy('members.created_at')
    .orderBy('members.id')
    .execute();
}

/** Replaces a session's cookie if the session still has the given one. Returns whether it was replaced. */
export async function rotateConsoleSession(
  writer: DatabaseWriter,
  sha256: string,
  change: Pick<ConsoleSessionRow, 'token_sha256' | 'previous_until'> & Partial<ConsoleSessionRow>,
): Promise<boolean> {
  const { numUpdatedRows } = await writer
    .updateTable('sessions')
    .set({ ...change, previous_sha256: sha256 })
    .where('token_sha256', '=', sha256)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function updateConsoleSession(
  writer: DatabaseWriter,
  id: string,
  change: Partial<Pick<ConsoleSessionRow, 'org_id' | 'role'>>,
): Promise<void> {
  await writer.updateTable('sessions').set(change).where('id', '=', id).execute();
}

export async function updateConsoleSessionLastSeen(
  writer: DatabaseWriter,
  id: string,
  seenAt: number,
): Promise<void> {
  await writer
    .updateTable('sessions')
    .set({ last_seen_at: seenAt })
    .where('id', '=', id)
    .where('last_seen_at', '<', seenAt)
    .execute();
}

export function listConsoleSessionsOfUser(
  reader: DatabaseReader,
  userId: string,
): Promise<ConsoleSessionRow[]> {
  return reader
    .selectFrom('sessions')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('last_seen_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
}

/** Ends one of a user's sessions. Returns false if the user has no session with this id. */
export async function deleteConsoleSession(
  writer: DatabaseWriter,
  userId: string,
  id: string,
): Promise<boolean> {
  const { numDeletedRows } = await writer
    .deleteFrom('sessions')
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Ends all of a user's sessions, optionally except one. Returns the number of ended sessions. */
export async function deleteConsoleSessionsOfUser(
  writer: DatabaseWriter,
  userId: string,
  exceptId: string | null,
): Promise<number> {
  let query = writer.deleteFrom('sessions').where('user_id', '=', userId);
  if (exceptId !== null) query = query.where('id', '!=', exceptId);
  const { numDeletedRows } = await query.executeTakeFirst();
  return Number(numDeletedRows);
}

/** Ends all of a user's sessions except the `kept` most recently used ones. */
export async function deleteLeastRecentlyUsedConsoleSessions(
  writer: DatabaseWriter,
  userId: string,
  kept: number,
): Promise<void> {
  const rows = await writer
    .selectFrom('sessions')
    .select('id')
    .where('user_id', '=', userId)
    .orderBy('last_seen_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
  const ended = rows.slice(kept).map(({ id }) => id);
  if (ended.length > 0) await writer.deleteFrom('sessions').where('id', 'in', ended).execute();
}

/** Ends the session that a cookie belongs to, and returns it. */
export async function deleteConsoleSessionByToken(
  writer: DatabaseWriter,
  sha256: string,
): Promise<ConsoleSessionRow | undefined> {
  return writer
    .deleteFrom('sessions')
    .where(({ eb, or }) => or([eb('token_sha256', '=', sha256), eb('previous_sha256', '=', sha256)]))
    .returningAll()
    .executeTakeFirst();
}

/**
 * Ends the sessions that were started with this passkey. Also ends passkey sessions whose passkey was not
 * recorded.
 */
export async function deleteConsoleSessionsOfPasskey(
  writer: DatabaseWriter,
  userId: string,
  passkeyId: string,
): Promise<void> {
  await writer
    .deleteFrom('sessions')
    .where('user_id', '=', userId)
    .where('method', '=', 'passkey')
    .where(({ eb, or }) => or([eb('passkey_id', '=', passkeyId), eb('passkey_id', 'is', null)]))
    .execute();
}

/** Ends all of a user's sessions in an organization. */
export async function deleteConsoleSessionsOfUserInOrg(
  writer: DatabaseWriter,
  userId: string,
  orgId: string,
): Promise<void> {
  await writer.deleteFrom('sessions').where('user_id', '=', userId).where('org_id', '=', orgId).execute();
}

/** Deletes expired sessions and other expired sign-in data. */
export async function deleteExpiredSignInData(
  writer: DatabaseWriter,
  before: { readonly nowMs: number; readonly idleMs: number; readonly triesMs: number },
): Promise<void> {
  await writer
    .deleteFrom('sessions')
    .where(({ eb, or }) =>
      or([eb('expires_at', '<', before.nowMs), eb('last_seen_at', '<', before.nowMs - before.idleMs)]),
    )
    .execute();
  await writer.deleteFrom('used_tokens').where('expires_at', '<', before.nowMs).execute();
  await writer
    .deleteFrom('sign_in_attempts')
    .where('last_attempt_at', '<', before.nowMs - before.triesMs)
    .execute();
}
