import { Fault } from '@floe/contract/faults';
import {
  type ConsoleSessionRow,
  findConsoleSessionById,
  listMembershipsWithRoles,
} from '../store/console-sessions.ts';
import { findPlatformKeyById } from '../store/platform-keys.ts';
import type { DatabaseReader, DatabaseWriter } from '../store/store-interfaces.ts';
import type { Actor, SignedInMember } from './actor.ts';
import { createRevokedKeyFault, findKeyFault, type KeyRecord } from './keyring.ts';
import { createSessionExpiredFault } from './sign-in/session-changes.ts';
import { hasAllRoles, listSessionMemberships } from './sign-in/session-memberships.ts';
import { toKeyRecords } from './stored-platform-key.ts';

/**
 * Requires that the actor still has the access with which their request was authorized. Between that and the
 * transaction, a slow body or the queue of the database can take seconds, and the key or session can end. Does not check
 * whether the session has expired in this time.
 *
 * @throws Fault `key_revoked`, `key_expired` or `session_expired` if the access ended; `conflict` if it changed
 */
export async function requireCurrentAccess(
  writer: DatabaseWriter,
  actor: Actor,
  nowMs: number,
): Promise<void> {
  const session = await requireAccess(writer, actor, nowMs);
  if (session !== null && session.org_id !== actor.orgId) throw createSessionExpiredFault();
}

/**
 * Returns whether the actor still has the access with which their request was authorized, and their session or key has
 * not expired. The session may be in another organization by now. If the database is unavailable, returns true.
 */
export async function hasCurrentAccess(
  reader: DatabaseReader,
  actor: Actor,
  {
    nowMs,
    isActiveSession,
  }: { readonly nowMs: number; readonly isActiveSession: (session: ConsoleSessionRow) => boolean },
): Promise<boolean> {
  try {
    const session = await requireAccess(reader, actor, nowMs);
    return session === null || isActiveSession(session);
  } catch (error) {
    return !(error instanceof Fault) || error.status >= 500;
  }
}

/** Returns the session of a member; null for a key. */
async function requireAccess(
  reader: DatabaseReader,
  { key, member }: Actor,
  nowMs: number,
): Promise<ConsoleSessionRow | null> {
  if (member && !key) return requireCurrentMember(reader, member);
  if (key) await requireCurrentKey(reader, key, nowMs);
  return null;
}

async function requireCurrentKey(reader: DatabaseReader, key: KeyRecord, nowMs: number): Promise<void> {
  const row = await findPlatformKeyById(reader, key.orgId, key.id);
  const stored = row && toKeyRecords(row).find(({ hash }) => hash === key.hash);
  if (!stored) throw createRevokedKeyFault(key);
  const fault = findKeyFault(stored, nowMs);
  if (fault) throw fault;
  if (![...key.scopes].every((scope) => stored.scopes.has(scope)))
    throw createAccessChangedFault('The scopes of this platform key');
}

async function requireCurrentMember(
  reader: DatabaseReader,
  { id, userId, sessionId, issuer, role, team, isOperator }: SignedInMember,
): Promise<ConsoleSessionRow> {
  const session = await findConsoleSessionById(reader, sessionId);
  const rows = await listMembershipsWithRoles(reader, userId, issuer);
  const membership = listSessionMemberships(rows, issuer).find(({ memberId }) => memberId === id);
  if (!session || !membership) throw createSessionExpiredFault();
  const isStillOperator = hasAllRoles(rows, issuer) && rows[0]?.operator_id !== null;
  if (membership.role !== role || membership.team !== team || (isOperator && !isStillOperator))
    throw createAccessChangedFault('Your role, team or operator role');
  return session;
}

function createAccessChangedFault(what: string): Fault {
  return new Fault('conflict', `${what} changed while Floe processed this request. Retry the request.`);
}
