import { sql } from 'kysely';
import { getKeysetPage, type PageRequest, type PageSortKey, type RowPage } from '../pagination.ts';
import type { DatabaseReader } from '../ports.ts';

/**
 * A session with the totals over all its keys. An agent may use one key for models and another one
 * for the relay.
 */
export interface RelaySessionSummary {
  /** The first of the session's keys. Together with the time, it is the session's position in the list. */
  readonly first_key: string;
  readonly session_id: string;
  readonly key_name: string;
  readonly owner: string | null;
  readonly agent: string | null;
  readonly agent_version: string | null;
  readonly client_version: string | null;
  readonly first_seen_at: number;
  readonly last_seen_at: number;
  readonly model_requests: number;
  readonly relay_calls: number;
  readonly last_model_request_at: number | null;
  readonly last_relay_call_at: number | null;
}

export interface RelaySessionFilters {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly covered?: boolean | undefined;
  readonly owner?: string | undefined;
  readonly agent?: string | undefined;
}

/** Maximum number of sessions that are added up at once. */
const MAX_SESSIONS = 50_000;

const BY_LAST_USE: PageSortKey<RelaySessionSummary> = {
  key: sql.ref('last_seen_at'),
  id: sql.ref('first_key'),
  type: 'number',
  direction: 'desc',
  positionOf: ({ last_seen_at, first_key }) => [last_seen_at, first_key],
};

/**
 * Returns a page of an organization's sessions with their totals, newest first. Requests without a
 * session id form one session per key.
 */
export function getRelaySessionPage(
  reader: DatabaseReader,
  request: PageRequest & RelaySessionFilters,
): Promise<RowPage<RelaySessionSummary>> {
  const { covered, owner, agent } = request;
  let query = selectSessionSummaries(reader, request);
  if (owner !== undefined) query = query.having(sql<string>`max(owner)`, '=', owner);
  if (agent !== undefined) query = query.having(sql<string>`max(agent)`, '=', agent);
  if (covered === true) query = query.having(sql<boolean>`sum(model_requests) > 0 and sum(relay_calls) > 0`);
  if (covered === false) query = query.having(sql<boolean>`sum(model_requests) > 0 and sum(relay_calls) = 0`);
  if (covered !== undefined) query = query.where('session_id', '!=', '');
  return getKeysetPage(reader.selectFrom(query.as('sums')).selectAll(), BY_LAST_USE, request);
}

/** Returns the sessions in a time range, newest first, up to the maximum number. */
export function listRelaySessionSummaries(
  reader: DatabaseReader,
  request: { readonly orgId: string; readonly from: number; readonly to: number },
): Promise<RelaySessionSummary[]> {
  return selectSessionSummaries(reader, request)
    .orderBy(sql`max(last_seen_at)`, 'desc')
    .limit(MAX_SESSIONS)
    .execute();
}

function selectSessionSummaries(
  reader: DatabaseReader,
  {
    orgId,
    from,
    to,
  }: { readonly orgId: string; readonly from?: number | undefined; readonly to?: number | undefined },
) {
  let query = reader
    .selectFrom('relay_sessions')
    .select([
      'session_id',
      // Prefers the key that uses models, because it pays for the session.
      sql<string>`coalesce(max(case when model_requests > 0 then key_name end), max(key_name))`.as(
        'key_name',
      ),
      sql<string | null>`coalesce(max(case when model_requests > 0 then owner end), max(owner))`.as('owner'),
      sql<string>`min(key_id)`.as('first_key'),
      // The name from the hook is more reliable than the one from `user-agent`.
      sql<string | null>`coalesce(max(case when relay_calls > 0 then agent end), max(agent))`.as('agent'),
      sql<string | null>`max(agent_version)`.as('agent_version'),
      sql<string | null>`max(client_version)`.as('client_version'),
      sql<number>`min(first_seen_at)`.as('first_seen_at'),
      sql<number>`max(last_seen_at)`.as('last_seen_at'),
      sql<number>`cast(sum(model_requests) as bigint)`.as('model_requests'),
      sql<number>`cast(sum(relay_calls) as bigint)`.as('relay_calls'),
      sql<number | null>`max(last_model_request_at)`.as('last_model_request_at'),
      sql<number | null>`max(last_relay_call_at)`.as('last_relay_call_at'),
    ])
    .where('org_id', '=', orgId)
    .groupBy(['session_id', sql`case when session_id = '' then key_id else '' end`]);
  if (from !== undefined) query = query.where('last_seen_at', '>=', from);
  if (to !== undefined) query = query.where('first_seen_at', '<', to);
  return query;
}
