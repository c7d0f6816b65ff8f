import { useMemo } from 'react';
import { OrgLink } from '../../app/org-link.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { buildListQuery, useListRows } from '../../data/lists.ts';
import { getCurrentTime } from '../../data/server-clock.ts';
import { formatCount } from '../../format/amounts.ts';
import { EmptyState } from '../../ui/feedback.tsx';
import { QueryResults } from '../../ui/query-results.tsx';
import { RelativeTimeText } from '../../ui/relative-time-text.tsx';
import type { TableColumn } from '../../ui/table-columns.ts';
import { SegmentedControl } from '../../ui/tabs.tsx';
import { DecisionStatus } from './decision-status.tsx';
import { RELAY_API_PATH, type RelaySession } from './relay-data.ts';
import { relayText } from './text.ts';

const COVERED = [
  { id: 'all', label: relayText.sessions.all },
  { id: 'false', label: relayText.sessions.notCovered },
  { id: 'true', label: relayText.sessions.covered },
] as const;
const DAY_MS = 24 * 3_600_000;

/** Lists the sessions of agents, newest first. */
export function RelaySessionList({ days }: { readonly days: number }) {
  const { query, change } = useUrlState();
  const covered = COVERED.find(({ id }) => id === query.get('covered'))?.id ?? 'all';
  const filters = useMemo(
    () => ({
      from: new Date(getCurrentTime().getTime() - days * DAY_MS).toISOString(),
      ...(covered === 'all' ? {} : { covered }),
    }),
    [days, covered],
  );
  const list = useListRows(
    buildListQuery<RelaySession>('relay-sessions', `${RELAY_API_PATH}/sessions`, filters),
    15_000,
  );
  return (
    <div className="grid gap-3">
      <div>
        <SegmentedControl
          label={relayText.sessions.filter}
          options={COVERED}
          value={covered}
          onChange={(id) => change({ covered: id === 'all' ? null : id }, 'replace')}
        />
      </div>
      <div className="-mx-4 md:-mx-6">
        <QueryResults
          list={list}
          what={relayText.sessions.list}
          label={relayText.sessions.title}
          rowId={({ session_id, key }) => `${key} ${session_id}`}
          columns={COLUMNS}
          card={(session) => <SessionCard session={session} />}
          empty={<EmptyState title={relayText.sessions.emptyTitle}>{relayText.sessions.empty}</EmptyState>}
        />
      </div>
    </div>
  );
}

function sessionLabel({ covered, model_requests }: RelaySession) {
  if (covered === null && model_requests > 0)
    return { state: 'unknown', word: relayText.coverageStatus.unknown } as const;
  if (covered === null) return { state: null, word: relayText.coverageStatus.noModels } as const;
  return covered
    ? ({ state: null, word: relayText.coverageStatus.covered } as const)
    : ({ state: 'warning', word: relayText.coverageStatus.notCovered } as const);
}

const COLUMNS: readonly TableColumn<RelaySession>[] = [
  {
    id: 'session',
    label: relayText.sessions.session,
    width: 'minmax(8rem, 1fr)',
    cell: ({ session_id }) =>
      session_id === '' ? (
        <span className="text-ink-3">{relayText.sessions.noSession}</span>
      ) : (
        <OrgLink to="/relay/decisions" search={{ session: session_id, range: '30d' }}>
          {session_id}
        </OrgLink>
      ),
  },
  {
    id: 'person',
    label: relayText.coverage.person,
    width: 'minmax(5rem, 10rem)',
    cell: ({ owner, key }) => owner ?? relayText.coverage.key(key),
  },
  {
    id: 'agent',
    label: relayText.coverage.agent,
    width: 'minmax(5rem, 10rem)',
    cell: ({ agent, agent_version }) => [agent, agent_version].filter(Boolean).join(' ') || relayText.none,
  },
  {
    id: 'relay',
    label: relayText.coverage.relay,
    width: '11rem',
    cell: (session) => <DecisionStatus label={sessionLabel(session)} />,
  },
  {
    id: 'models',
    label: relayText.coverage.modelRequests,
    width: '8rem',
    align: 'end',
    cell: ({ model_requests }) => formatCount(model_requests),
  },
  {
    id: 'calls',
    label: relayText.coverage.relayCalls,
    width: '7rem',
    yields: 2,
    align: 'end',
    cell: ({ relay_calls }) => formatCount(relay_calls),
  },
  {
    id: 'last',
    label: relayText.sessions.lastSeen,
    width: '7rem',
    yields: 1,
    cell: ({ last_seen_at }) => <RelativeTimeText at={last_seen_at} />,
  },
];

function SessionCard({ session }: { readonly session: RelaySession }) {
  return (
    <span className="grid gap-0.5">
      <span className="flex items-center gap-3">
        <span className="min-w-0 flex-1 truncate font-medium">
          {session.owner ?? relayText.coverage.key(session.key)}{' '}
          <span className="font-normal text-ink-2">{session.agent}</span>
        </span>
        <DecisionStatus label={sessionLabel(session)} />
      </span>
      <span className="truncate text-small text-ink-2 figures">
        {relayText.coverage.counts(session.model_requests, session.relay_calls)} ·{' '}
        {session.session_id || relayText.sessions.noSession}
      </span>
    </span>
  );
}
