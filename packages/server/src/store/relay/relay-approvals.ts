import { sql } from 'kysely';
import { replaceUnstorableCharacters, replaceUnstorableRowText } from '../../core/unstorable-characters.ts';
import type { SqlCondition } from '../exchange-filters.ts';
import type { PageRequest, RowPage } from '../pagination.ts';
import type { DatabaseReader, DatabaseWriter } from '../store-interfaces.ts';
import { getScannedPage } from '../time-scan.ts';
import type { RelayApprovalsTable } from './relay-tables.ts';

export type RelayApprovalRow = RelayApprovalsTable;

/** Maximum number of approvals that are read for one action. */
const MAX_PER_ACTION = 200;

/**
 * Returns the waiting and allowed approvals of a key for one action that have not expired at `nowMs`, newest
 * first. They belong to the session `sessionId`, or to no session if it is null. The hash identifies the action,
 * so that an approval never applies to another command, tool call or file than the member has reviewed.
 */
export function listUnexpiredRelayApprovals(
  reader: DatabaseReader,
  {
    orgId,
    sessionId,
    keyId,
    inputHash,
    nowMs,
  }: {
    readonly orgId: string;
    readonly sessionId: string | null;
    readonly keyId: string;
    readonly inputHash: string;
    readonly nowMs: number;
  },
): Promise<RelayApprovalRow[]> {
  const rows = reader
    .selectFrom('relay_approvals')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('key_id', '=', keyId)
    .where('input_hash', '=', inputHash)
    .where('expires_at', '>', nowMs)
    .where('state', 'in', ['waiting', 'allowed']);
  const ofSession =
    sessionId === null
      ? rows.where('session_id', 'is', null)
      : rows.where('session_id', '=', replaceUnstorableCharacters(sessionId));
  return ofSession.orderBy('created_at', 'desc').limit(MAX_PER_ACTION).execute();
}

/**
 * Returns whether at least `count` approvals of a key that were created after `sinceMs` are waiting at `nowMs`. Expired
 * approvals keep the state `waiting`, so an earlier `sinceMs` makes the query read more of them.
 */
export async function hasWaitingRelayApprovals(
  reader: DatabaseReader,
  {
    orgId,
    keyId,
    nowMs,
    sinceMs,
  }: {
    readonly orgId: string;
    readonly keyId: string;
    readonly nowMs: number;
    readonly sinceMs: number;
  },
  count: number,
): Promise<boolean> {
  const rows = await reader
    .selectFrom('relay_approvals')
    .select('id')
    .where('org_id', '=', orgId)
    .where('state', '=', 'waiting')
    .where('created_at', '>', sinceMs)
    .where('key_id', '=', keyId)
    .where('expires_at', '>', nowMs)
    .limit(count)
    .execute();
  return rows.length >= count;
}

export async function insertRelayApproval(writer: DatabaseWriter, row: RelayApprovalRow): Promise<void> {
  await writer
    .insertInto('relay_approvals')
    .values(replaceUnstorableRowText(row))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Identifies an approval. With `keyId`, only an approval of this key is found. */
export interface RelayApprovalReference {
  readonly orgId: string;
  readonly id: string;
  readonly keyId?: string | undefined;
}

export function findRelayApproval(
  reader: DatabaseReader,
  { orgId, id, keyId }: RelayApprovalReference,
): Promise<RelayApprovalRow | undefined> {
  const found = reader
    .selectFrom('relay_approvals')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('id', '=', id);
  return (keyId === undefined ? found : found.where('key_id', '=', keyId)).executeTakeFirst();
}

/**
 * Stores the decision on a waiting approval. Returns false if it was already decided or has
 * expired.
 */
export async function recordRelayApprovalDecision(
  writer: DatabaseWriter,
  row: Pick<RelayApprovalRow, 'org_id' | 'id' | 'state' | 'scope' | 'decided_at' | 'decided_by' | 'note'>,
  nowMs: number,
  expiresAt: number,
): Promise<boolean> {
  const { org_id, id, ...change } = row;
  const { numUpdatedRows } = await writer
    .updateTable('relay_approvals')
    .set({ ...change, expires_at: expiresAt })
    .where('org_id', '=', org_id)
    .where('id', '=', id)
    .where('state', '=', 'waiting')
    .where('expires_at', '>', nowMs)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** How long after the use of a single-use approval the agent may ask its user for permission for the same action. */
const PERMISSION_REQUEST_MS = 60_000;

/** Returns whether the use of a single-use approval is so long ago that `consumeRelayApproval` would return false. */
export function isRelayApprovalUsed(
  { used_at }: Pick<RelayApprovalRow, 'used_at'>,
  isPermissionRequest: boolean,
  nowMs: number,
): boolean {
  return used_at !== null && (!isPermissionRequest || used_at <= nowMs - PERMISSION_REQUEST_MS);
}

/**
 * Marks a single-use approval as used. Returns false if it does not apply: another action has used it, or it was used
 * too long ago for a permission request. The permission request of an agent can follow the use of the approval, even
 * if the approval would have expired by then. This request ends the approval.
 */
export async function consumeRelayApproval(
  writer: DatabaseWriter,
  { org_id, id, expires_at }: Pick<RelayApprovalRow, 'org_id' | 'id' | 'expires_at'>,
  isPermissionRequest: boolean,
  nowMs: number,
): Promise<boolean> {
  const permissionUntil = Math.max(expires_at, nowMs + PERMISSION_REQUEST_MS);
  const unexpired = writer
    .updateTable('relay_approvals')
    .set({ used_at: nowMs, expires_at: isPermissionRequest ? nowMs : permissionUntil })
    .where('org_id', '=', org_id)
    .where('id', '=', id)
    .where('expires_at', '>', nowMs);
  const { numUpdatedRows } = await unexpired
    .where((row) =>
      isPermissionRequest
        ? row.or([row('used_at', 'is', null), row('used_at', '>', nowMs - PERMISSION_REQUEST_MS)])
        : row('used_at', 'is', null),
    )
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/**
 * Returns a page of an organization's approvals, newest first. The states `waiting` and `expired` depend on the
 * current time. For these states, each page checks the expiry time of a limited number of approvals. The page can
 * therefore contain fewer approvals than requested, or none, and still have a cursor.
 */
export function getRelayApprovalPage(
  reader: DatabaseReader,
  request: PageRequest & { readonly state?: string | undefined; readonly nowMs: number },
): Promise<RowPage<RelayApprovalRow>> {
  const { state, nowMs } = request;
  const stored = state === 'expired' ? 'waiting' : state;
  const expiry: Readonly<Record<string, SqlCondition>> = {
    expired: sql`expires_at <= ${nowMs}`,
    waiting: sql`expires_at > ${nowMs}`,
  };
  const condition = state === undefined ? undefined : expiry[state];
  return getScannedPage<RelayApprovalRow>(reader, {
    ...request,
    table: { name: 'relay_approvals', at: 'created_at' },
    indexScans: [stored === undefined ? sql`true` : sql`state = ${stored}`],
    residualConditions: condition ? [condition] : [],
  });
}
