import { sql } from 'kysely';
import type { DatabaseReader, DatabaseWriter } from '../store-interfaces.ts';
import { buildKeyOwnerCondition, type Person } from './person.ts';
import { PERSON_ROWS_PER_BATCH } from './scan-person-rows.ts';

/** The relay tables with one row per event of a session. */
export const RELAY_RECORD_TABLES = ['relay_decisions', 'relay_reports', 'relay_approvals'] as const;
/** A relay table with one row per event of a session. */
export type RelayRecordTable = (typeof RELAY_RECORD_TABLES)[number];

/** Identifies a session: its key and the session id that requests and relay records contain. */
export interface RelaySessionReference {
  readonly keyId: string;
  readonly sessionId: string;
}

/** Returns the sessions that requests belong to, without duplicates. */
export function extractDistinctRelaySessions(
  rows: readonly { readonly key_id: string; readonly session: string | null }[],
): RelaySessionReference[] {
  const found = new Map<string, RelaySessionReference>();
  for (const { key_id: keyId, session: sessionId } of rows)
    if (sessionId !== null) found.set(`${keyId}\n${sessionId}`, { keyId, sessionId });
  return [...found.values()];
}

/** Returns up to 500 ids of a session's relay records, in order, starting after `afterId`. */
export async function listRelayRecordIdsOfSession(
  reader: DatabaseReader,
  table: RelayRecordTable,
  orgId: string,
  { keyId, sessionId, afterId = '' }: RelaySessionReference & { readonly afterId?: string },
): Promise<string[]> {
  const rows = await reader
    .selectFrom(table)
    .select('id')
    .where('org_id', '=', orgId)
    .where('session_id', '=', sessionId)
    .where('key_id', '=', keyId)
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(PERSON_ROWS_PER_BATCH)
    .execute();
  return rows.map(({ id }) => id);
}

/** Returns up to 500 sessions of the person's keys, in order, starting after the given one. */
export async function listRelaySessionsOfPerson(
  reader: DatabaseReader,
  person: Person,
  after: RelaySessionReference = { keyId: '', sessionId: '' },
): Promise<RelaySessionReference[]> {
  const rows = await reader
    .selectFrom('relay_sessions')
    .select(['session_id', 'key_id'])
    .where('org_id', '=', person.orgId)
    .where(sql<boolean>`(session_id, key_id) > (${after.sessionId}, ${after.keyId})`)
    .where(buildKeyOwnerCondition(person))
    .orderBy('session_id')
    .orderBy('key_id')
    .limit(PERSON_ROWS_PER_BATCH)
    .execute();
  return rows.map(({ session_id: sessionId, key_id: keyId }) => ({ sessionId, keyId }));
}

/** Deletes sessions. Returns the number of deleted sessions. */
export async function deleteRelaySessions(
  writer: DatabaseWriter,
  orgId: string,
  sessions: readonly RelaySessionReference[],
): Promise<number> {
  let deleted = 0;
  for (const { keyId, sessionId } of sessions) {
    const { numDeletedRows } = await writer
      .deleteFrom('relay_sessions')
      .where('org_id', '=', orgId)
      .where('session_id', '=', sessionId)
      .where('key_id', '=', keyId)
      .executeTakeFirst();
    deleted += Number(numDeletedRows);
  }
  return deleted;
}
