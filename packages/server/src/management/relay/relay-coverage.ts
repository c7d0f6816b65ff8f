import { page } from '@floe/contract/api/page';
import {
  coverageQuery,
  relayCoverage,
  relaySession,
  sessionsQuery,
} from '@floe/contract/api/relay-management';
import { type SessionSum, sessionPage, sessionsBetween } from '../../store/relay/coverage.ts';
import { range } from '../time-range.ts';
import { readVerb } from '../verb.ts';

const WEEK_MS = 7 * 24 * 3_600_000;

export const listSessions = readVerb({
  name: 'relay.sessions',
  method: 'GET',
  path: '/api/management/relay/sessions',
  scope: 'management',
  summary: 'List sessions of agents with how often they asked models and the relay, newest first',
  query: sessionsQuery,
  answer: page(relaySession),
  async run({ reader, orgId }, { query }) {
    const { limit, cursor, covered, owner, agent } = query;
    const found = await sessionPage(reader, { orgId, limit, cursor, covered, owner, agent, ...range(query) });
    return { data: found.rows.map(sessionView), next_cursor: found.nextCursor };
  },
});

export const getCoverage = readVerb({
  name: 'relay.coverage',
  method: 'GET',
  path: '/api/management/relay/coverage',
  scope: 'management',
  summary:
    'Who uses models and who of them asks the relay; the last seven days unless from and to say otherwise',
  query: coverageQuery,
  answer: relayCoverage,
  async run({ reader, orgId, clock }, { query }) {
    const { from: givenFrom, to: givenTo } = range(query);
    const to = givenTo ?? clock.now();
    const from = givenFrom ?? to - WEEK_MS;
    const sessions = await sessionsBetween(reader, { orgId, from, to: to + 1 });
    return {
      from: momentOf(from),
      to: momentOf(to),
      data: people(sessions),
      clients: clients(sessions),
    };
  },
});

function sessionView(row: SessionSum) {
  return {
    session_id: row.session_id,
    agent: row.agent,
    agent_version: row.agent_version,
    client_version: row.client_version,
    owner: row.owner,
    key: row.key_name,
    first_at: momentOf(row.first_at),
    last_at: momentOf(row.last_at),
    model_requests: row.model_requests,
    relay_calls: row.relay_calls,
    last_model_at: row.last_model_at === null ? null : momentOf(row.last_model_at),
    last_relay_at: row.last_relay_at === null ? null : momentOf(row.last_relay_at),
    covered: row.model_requests === 0 || row.session_id === '' ? null : row.relay_calls > 0,
  };
}

/** One line for each person and agent; those who never ask come first, then by requests. */
function people(sessions: readonly SessionSum[]) {
  const groups = new Map<string, SessionSum[]>();
  for (const session of sessions) {
    const name = JSON.stringify([session.owner ?? session.key_name, session.agent]);
    groups.set(name, [...(groups.get(name) ?? []), session]);
  }
  const rows = [...groups.values()].map(person);
  return rows.sort((one, other) => rank(one) - rank(other) || other.model_requests - one.model_requests);
}

function rank({ covered_ratio }: { readonly covered_ratio: number | null }): number {
  return covered_ratio ?? 2;
}

function person(sessions: readonly SessionSum[]) {
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
    model_requests: sum(sessions, ({ model_requests }) => model_requests),
    relay_calls: sum(sessions, ({ relay_calls }) => relay_calls),
    unnamed_requests: sum(unnamed, ({ model_requests }) => model_requests),
    agent_version: newest?.agent_version ?? null,
    client_version: newest?.client_version ?? null,
    last_model_at: latest(sessions.map(({ last_model_at }) => last_model_at)),
    last_relay_at: latest(sessions.map(({ last_relay_at }) => last_relay_at)),
  };
}

function clients(sessions: readonly SessionSum[]) {
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

function sum(sessions: readonly SessionSum[], of: (session: SessionSum) => number): number {
  return sessions.reduce((total, session) => total + of(session), 0);
}

function latest(times: readonly (number | null)[]): string | null {
  const known = times.filter((time) => time !== null);
  return known.length === 0 ? null : momentOf(Math.max(...known));
}

function momentOf(ms: number): string {
  return new Date(ms).toISOString();
}
