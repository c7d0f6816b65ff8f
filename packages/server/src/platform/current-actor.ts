import { Fault } from '@floe/contract/faults';
import { findConsoleSessionById, listMembershipsWithRoles } from '../store/console-sessions.ts';
import { findPlatformKeyById } from '../store/platform-keys.ts';
import type { DatabaseWriter } from '../store/store-interfaces.ts';
import type { Actor, SignedInMember } from './actor.ts';
import { createRevokedKeyFault, findKeyFault, type KeyRecord } from './keyring.ts';
import { createSessionExpiredFault } from './sign-in/session-changes.ts';
import { hasAllRoles, listSessionMemberships } from './sign-in/session-memberships.ts';
import { toKeyRecords } from './stored-platform-key.ts';

/**
 * Requires that the actor still has the access with which their request was authorized. Between that and the
 * transaction, a slow body or the queue of the database can take seconds, and the key or session can end.
 *
 * @throws Fault `key_revoked`, `key_expired` or `session_expired` if the access ended; `conflict` if it changed
 */
export function requireCurrentActor(writer: DatabaseWriter, actor: Actor, nowMs: number): Promise<void> {
  const { key, member, orgId } = actor;
  if (key) return requireCurrentKey(writer, key, nowMs);
  return member ? requireCurrentMember(writer, orgId, member) : Promise.resolve();
}

async function requireCurrentKey(writer: DatabaseWriter, key: KeyRecord, nowMs: number): Promise<void> {
  const row = await findPlatformKeyById(writer, key.orgId, key.id);
  const stored = row && toKeyRecords(row).find(({ hash }) => hash === key.hash);
  if (!stored) throw createRevokedKeyFault(key);
  const fault = findKeyFault(stored, nowMs);
  if (fault) throw fault;
  if (![...key.scopes].every((scope) => stored.scopes.has(scope)))
    throw createAccessChangedFault('The scopes of this platform key');
}

async function requireCurrentMember(
  writer: DatabaseWriter,
  orgId: string,
  { id, userId, sessionId, issuer, role, team, isOperator }: SignedInMember,
): Promise<void> {
  const session = await findConsoleSessionById(writer, sessionId);
  const rows = await listMembershipsWithRoles(writer, userId, issuer);
  const membership = listSessionMemberships(rows, issuer).find(({ memberId }) => memberId === id);
  if (session?.org_id !== orgId || !membership) throw createSessionExpiredFault();
  const isStillOperator = hasAllRoles(rows, issuer) && rows[0]?.operator_id !== null;
  if (membership.role !== role || membership.team !== team || (isOperator && !isStillOperator))
    throw createAccessChangedFault('Your role or team');
}

function createAccessChangedFault(what: string): Fault {
  return new Fault('conflict', `${what} changed while Floe processed this request. Repeat the request.`);
}
