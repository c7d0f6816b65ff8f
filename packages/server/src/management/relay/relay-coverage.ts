import { createPageSchema } from '@floe/contract/api/page';
import {
  relayCoverage,
  relayCoverageQuery,
  relaySession,
  relaySessionListQuery,
} from '@floe/contract/api/relay-management';
import {
  getRelaySessionPage,
  listRelaySessionSummaries,
  type RelaySessionSummary,
} from '../../store/relay/relay-session-summaries.ts';
import { defineReadOperation } from '../operation.ts';
import { parseTimeRange } from '../time-range.ts';

const WEEK_MS = 7 * 24 * 3_600_000;

/** The operation that lists agent sessions (`GET /api/management/relay/sessions`). */
export const listRelaySessionsOperation = defineReadOperation({
  name: 'relay.sessions',
  method: 'GET',
  path: '/api/management/relay/sessions',
  scope: 'management',
  summary: 'List agent sessions with model request and relay decision counts, most recently active first',
  query: relaySessionListQuery,
  answer: createPageSchema(relaySession),
  async run({ reader, orgId }, { query }) {
    const { limit, cursor, covered, owner, agent } = query;
    const found = await getRelaySessionPage(reader, {
      orgId,
      limit,
      cursor,
      covered,
      owner,
      agent,
      ...parseTimeRange(query),
    });
    return { data: found.rows.map(toRelaySessionResource), next_cursor: found.nextCursor };
  },
});

/**
 * The operation that returns how many agent sessions use the relay, by person and agent (`GET
 * /api/management/relay/coverage`).
 */
export const getRelayCoverageOperation = defineReadOperation({
  name: 'relay.coverage',
  method: 'GET',
  path: '/api/management/relay/coverage',
  scope: 'management',
  summary:
    'Count, for each person and agent, the sessions that call models and those that also call the relay; defaults to the last seven days',
  query: relayCoverageQuery,
  answer: relayCoverage,
  async run({ reader, orgId, clock }, { query }) {
    const { from: givenFrom, to: givenTo } = parseTimeRange(query);
    const to = givenTo ?? clock.now();
    const from = givenFrom ?? to - WEEK_MS;
    const sessions = await listRelaySessionSummaries(reader, { orgId, from, to: to + 1 });
    return {
      from: toIsoString(from),
      to: toIsoString(to),
      data: summarizeByPerson(sessions),
      clients: countSessionsByClient(sessions),
    };
  },
});

function toRelaySessionResource(row: RelaySessionSummary) {
  return {
    session_id: row.session_id,
    agent: row.agent,
    agent_version: row.agent_version,
    client_version: row.client_version,
    owner: row.owner,
    key: row.key_name,
    first_seen_at: toIsoString(row.first_seen_at),
    last_seen_at: toIsoString(row.last_seen_at),
    model_requests: row.model_requests,
    relay_calls: row.relay_calls,
    last_model_request_at: row.last_model_request_at === null ? null : toIsoString(row.last_model_request_at),
    last_relay_call_at: row.last_relay_call_at === null ? null : toIsoString(row.last_relay_call_at),
    covered: row.model_requests === 0 || row.session_id === '' ? null : row.relay_calls > 0,
  };
}

/**
 * One entry per person and agent. Those without relay requests come first, then the order is by number of
 * requests.
 */
export function summarizeByPerson(sessions: readonly RelaySessionSummary[]) {
  const groups = Map.groupBy(sessions, ({ owner, key_name, agent }) =>
    JSON.stringify([owner ?? key_name, agent]),
  );
  const rows = [...groups.values()].map(summarizePerson);
  return rows.sort(
    (one, other) => coverageRank(one) - coverageRank(other) || other.model_requests - one.model_requests,
  );
}

function coverageRank({ covered_ratio }: { readonly covered_ratio: number | null }): number {
  return covered_ratio ?? 2;
}

function summarizePerson(sessions: readonly RelaySessionSummary[]) {
  const [newest] = sessions;
  const named = sessions.filter(({ session_id, model_requests }) => session_id !== '' && model_requests > 0);
  const covered = named.filter(({ relay_calls }) => relay_calls > 0);
  const unnamed = sessions.filter(({ session_id }) => session_id === '');
  return {
    owner: newest?.owner ?? null,
    key: newest?.key_name ?? '',
    agent: newest?.agent ?? null,
    sessions: named.length,
    covered_sessions: covered.length,
    covered_ratio: named.length === 0 ? null : covered.length / named.length,
    model_requests: sumSessions(sessions, ({ model_requests }) => model_requests),
    relay_calls: sumSessions(sessions, ({ relay_calls }) => relay_calls),
    requests_without_session: sumSessions(unnamed, ({ model_requests }) => model_requests),
    agent_version: newest?.agent_version ?? null,
    client_version: newest?.client_version ?? null,
    last_model_request_at: latestTimestamp(
      sessions.map(({ last_model_request_at }) => last_model_request_at),
    ),
    last_relay_call_at: latestTimestamp(sessions.map(({ last_relay_call_at }) => last_relay_call_at)),
  };
}

function countSessionsByClient(sessions: readonly RelaySessionSummary[]) {
  const counts = new Map<string, { client_version: string | null; agent: string | null; sessions: number }>();
  for (const { client_version, agent, relay_calls } of sessions) {
    if (relay_calls === 0) continue;
    const name = JSON.stringify([client_version, agent]);
    const row = counts.get(name) ?? { client_version, agent, sessions: 0 };
    row.sessions += 1;
    counts.set(name, row);
  }
  return [...counts.values()].sort((one, other) => other.sessions - one.sessions);
}

function sumSessions(
  sessions: readonly RelaySessionSummary[],
  of: (session: RelaySessionSummary) => number,
): number {
  return sessions.reduce((total, session) => total + of(session), 0);
}

function latestTimestamp(times: readonly (number | null)[]): string | null {
  const known = times.filter((time) => time !== null);
  return known.length === 0 ? null : toIsoString(Math.max(...known));
}

function toIsoString(ms: number): string {
  return new Date(ms).toISOString();
}
