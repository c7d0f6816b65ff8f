import { sql } from 'kysely';
import { replaceUnstorableRowText } from '../../core/unstorable-characters.ts';
import type { DatabaseReader, DatabaseWriter } from '../store-interfaces.ts';
import type { RelaySessionsTable } from './relay-tables.ts';

/**
 * The changes to one session since the last write. Counts are added to the stored counts; other columns are updated.
 */
export type RelaySessionDelta = RelaySessionsTable;

const ROWS_PER_STATEMENT = 200;
/** The maximum number of sessions per read. */
export const MAX_RELAY_SESSIONS_PER_READ = 5_000;

/** Adds counts to sessions, and creates sessions that do not exist. */
export async function addRelaySessionCounts(
  writer: DatabaseWriter,
  deltas: readonly RelaySessionDelta[],
): Promise<void> {
  for (let at = 0; at < deltas.length; at += ROWS_PER_STATEMENT)
    await writer
      .insertInto('relay_sessions')
      .values(deltas.slice(at, at + ROWS_PER_STATEMENT).map(replaceUnstorableRowText))
      .onConflict((conflict) =>
        conflict.columns(['org_id', 'session_id', 'key_id']).doUpdateSet({
          key_name: sql`excluded.key_name`,
          owner: sql`excluded.owner`,
          agent: sql`coalesce(excluded.agent, relay_sessions.agent)`,
          agent_version: sql`coalesce(excluded.agent_version, relay_sessions.agent_version)`,
          client_version: sql`coalesce(excluded.client_version, relay_sessions.client_version)`,
          last_seen_at: sql`case when excluded.last_seen_at > relay_sessions.last_seen_at then excluded.last_seen_at else relay_sessions.last_seen_at end`,
          model_requests: sql`relay_sessions.model_requests + excluded.model_requests`,
          last_model_request_at: sql`coalesce(excluded.last_model_request_at, relay_sessions.last_model_request_at)`,
          relay_calls: sql`relay_sessions.relay_calls + excluded.relay_calls`,
          last_relay_call_at: sql`coalesce(excluded.last_relay_call_at, relay_sessions.last_relay_call_at)`,
        }),
      )
      .execute();
}

/** When a session last called the relay. */
export interface RelaySessionActivity {
  readonly org_id: string;
  readonly session_id: string;
  readonly last_relay_call_at: number;
}

/** Returns the sessions that have called the relay since `sinceMs`, oldest first. */
export async function listRelaySessionActivitySince(
  reader: DatabaseReader,
  sinceMs: number,
): Promise<RelaySessionActivity[]> {
  const rows = await reader
    .selectFrom('relay_sessions')
    .select(['org_id', 'session_id', 'last_relay_call_at'])
    .where('last_relay_call_at', '>=', sinceMs)
    .orderBy('last_relay_call_at')
    .limit(MAX_RELAY_SESSIONS_PER_READ)
    .execute();
  return rows.flatMap(({ org_id, session_id, last_relay_call_at }) =>
    last_relay_call_at === null ? [] : [{ org_id, session_id, last_relay_call_at }],
  );
}
