import { sql } from 'kysely';
import { decodeKeysetCursor, encodeKeysetCursor, type PageRequest, type RowPage } from '../pagination.ts';
import type { DatabaseReader } from '../store-interfaces.ts';

/**
 * A session with the totals over all its keys. An agent may use one key for models and another one
 * for the relay.
 */
export interface RelaySessionSummary {
  /** The first of the session's keys. It identifies a session without an id. */
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

/** Maximum number of sessions that the coverage adds up: the newest ones. */
const MAX_COVERED_SESSIONS = 50_000;
/** Maximum number of sessions that are added up for one page if there are filters. */
const MAX_SUMMED_SESSIONS = 2_000;
/** Number of sessions in the first step, as a multiple of the page size. Later steps have more sessions. */
const FIRST_STEP_FACTOR = 4;

/** The row of a session that was used last. Its time, key and session id are the session's position in the list. */
interface SessionHead {
  readonly session_id: string;
  readonly key_id: string;
  readonly last_seen_at: number;
}

/**
 * Returns a page of an organization's sessions with their totals, newest first. Requests without a session id
 * form one session per key. Each page checks the filters on a limited number of sessions. The page can
 * therefore contain fewer sessions than requested, or none, and still have a cursor.
 */
export async function getRelaySessionPage(
  reader: DatabaseReader,
  request: PageRequest & RelaySessionFilters,
  maxSummed = MAX_SUMMED_SESSIONS,
): Promise<RowPage<RelaySessionSummary>> {
  const { limit, covered, owner, agent } = request;
  const isFiltered = covered !== undefined || owner !== undefined || agent !== undefined;
  const found: { readonly head: SessionHead; readonly summary: RelaySessionSummary }[] = [];
  let last = request.cursor === undefined ? undefined : decodePosition(request.cursor);
  let [left, size] = isFiltered ? [maxSummed, limit * FIRST_STEP_FACTOR] : [limit + 1, limit + 1];
  for (;;) {
    const heads = await listSessionHeads(reader, request, last, Math.min(size, left));
    const summaries = await sumSessions(reader, request, heads);
    for (const head of heads) {
      const summary = summaries.get(getSessionName(head.session_id, head.key_id));
      if (summary) found.push({ head, summary });
    }
    last = heads.at(-1) ?? last;
    left -= heads.length;
    const rows = found.slice(0, limit).map(({ summary }) => summary);
    const next = found.length > limit ? found[limit - 1]?.head : left <= 0 && isFiltered ? last : undefined;
    if (found.length > limit || heads.length < size || left <= 0)
      return { rows, nextCursor: next ? encodePosition(next) : null };
    size *= FIRST_STEP_FACTOR;
  }
}

function encodePosition({ last_seen_at, key_id, session_id }: SessionHead): string {
  return encodeKeysetCursor(last_seen_at, `${key_id} ${session_id}`);
}

function decodePosition(cursor: string): SessionHead {
  const { key, id } = decodeKeysetCursor(cursor, 'number');
  // Ids of keys contain no space.
  const space = id.indexOf(' ');
  return { last_seen_at: Number(key), key_id: id.slice(0, space), session_id: id.slice(space + 1) };
}

/** Identifies a session: its id, or its key if it has none. */
function getSessionName(sessionId: string, keyId: string): string {
  return sessionId === '' ? ` ${keyId}` : sessionId;
}

/** Returns the last rows of the sessions after a position, newest first. */
async function listSessionHeads(
  reader: DatabaseReader,
  { orgId, from, to, covered }: PageRequest & RelaySessionFilters,
  last: SessionHead | undefined,
  limit: number,
): Promise<readonly SessionHead[]> {
  const isInRange = (name: string) => {
    const conditions = [sql`${sql.ref(`${name}.org_id`)} = ${orgId}`];
    if (from !== undefined) conditions.push(sql`${sql.ref(`${name}.last_seen_at`)} >= ${from}`);
    if (to !== undefined) conditions.push(sql`${sql.ref(`${name}.first_seen_at`)} < ${to}`);
    return sql.join(conditions, sql` and `);
  };
  const after = last
    ? sql`and s.last_seen_at <= ${last.last_seen_at} and (s.last_seen_at, s.key_id, s.session_id)
        < (${last.last_seen_at}, ${last.key_id}, ${last.session_id})`
    : sql``;
  const { rows } =
    await sql<SessionHead>`select s.session_id, s.key_id, s.last_seen_at from relay_sessions as s
    where ${isInRange('s')} ${after} ${covered === undefined ? sql`` : sql`and s.session_id <> ''`}
    and (s.session_id = '' or not exists (select 1 from relay_sessions as later
      where ${isInRange('later')} and later.session_id = s.session_id
      and (later.last_seen_at, later.key_id) > (s.last_seen_at, s.key_id)))
    order by s.last_seen_at desc, s.key_id desc, s.session_id desc limit ${limit}`.execute(reader);
  return rows;
}

/** Returns the totals of the sessions with these heads that match the filters. */
async function sumSessions(
  reader: DatabaseReader,
  request: PageRequest & RelaySessionFilters,
  heads: readonly SessionHead[],
): Promise<ReadonlyMap<string, RelaySessionSummary>> {
  const { covered, owner, agent } = request;
  const ids = heads.flatMap(({ session_id }) => (session_id === '' ? [] : [session_id]));
  const keys = heads.flatMap(({ session_id, key_id }) => (session_id === '' ? [key_id] : []));
  const found = new Map<string, RelaySessionSummary>();
  for (const [column, values] of [
    ['session_id', ids],
    ['key_id', keys],
  ] as const) {
    if (values.length === 0) continue;
    let query = selectSessionSummaries(reader, request).where(column, 'in', values);
    if (column === 'key_id') query = query.where('session_id', '=', '');
    if (owner !== undefined) query = query.having(SESSION_OWNER, '=', owner);
    if (agent !== undefined) query = query.having(SESSION_AGENT, '=', agent);
    if (covered !== undefined) query = query.having(sql<boolean>`sum(model_requests) > 0`);
    if (covered === true) query = query.having(sql<boolean>`sum(relay_calls) > 0`);
    if (covered === false) query = query.having(sql<boolean>`sum(relay_calls) = 0`);
    for (const row of await query.execute()) found.set(getSessionName(row.session_id, row.first_key), row);
  }
  return found;
}

/** Returns the sessions in a time range, newest first, up to the maximum number. */
export async function listRelaySessionSummaries(
  reader: DatabaseReader,
  request: { readonly orgId: string; readonly from: number; readonly to: number },
): Promise<RelaySessionSummary[]> {
  const { orgId, from } = request;
  // Reads only the index, so that the totals of older sessions are not computed.
  const oldest = await reader
    .selectFrom('relay_sessions')
    .select('last_seen_at')
    .where('org_id', '=', orgId)
    .where('last_seen_at', '>=', from)
    .orderBy('last_seen_at', 'desc')
    .offset(MAX_COVERED_SESSIONS - 1)
    .limit(1)
    .executeTakeFirst();
  return selectSessionSummaries(reader, { ...request, from: oldest?.last_seen_at ?? from })
    .orderBy(sql`max(last_seen_at)`, 'desc')
    .limit(MAX_COVERED_SESSIONS)
    .execute();
}

/** Prefers the owner of the key that uses models. */
const SESSION_OWNER = sql<
  string | null
>`coalesce(max(case when model_requests > 0 then owner end), max(owner))`;
/** The name from the hook is more reliable than the one from `user-agent`. */
const SESSION_AGENT = sql<string | null>`coalesce(max(case when relay_calls > 0 then agent end), max(agent))`;

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
      SESSION_OWNER.as('owner'),
      sql<string>`min(key_id)`.as('first_key'),
      SESSION_AGENT.as('agent'),
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
