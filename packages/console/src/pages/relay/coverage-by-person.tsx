import type { ReactNode } from 'react';
import { useUrlState } from '../../app/url-state.ts';
import { formatCount, formatPercent } from '../../format/amounts.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { RelativeTimeText } from '../../ui/relative-time-text.tsx';
import { parseSort, sortRows, type TableColumn } from '../../ui/table-columns.ts';
import { buildCoverageRowId, type CoverageRow, getCoverageDisplay } from './coverage-status.ts';
import { DecisionStatus } from './decision-status.tsx';
import { relayText } from './text.ts';

/**
 * Lists the agents of each person. Agents that send model requests without calling the relay are listed first.
 */
export function CoverageByPerson({
  rows,
  openId,
  onOpen,
  empty,
}: {
  readonly rows: readonly CoverageRow[];
  readonly openId: string | null;
  readonly onOpen: (id: string) => void;
  readonly empty: ReactNode;
}) {
  const { query, change } = useUrlState();
  const sort = parseSort(query.get('sort'));
  if (rows.length === 0) return empty;
  return (
    <div className="-m-4 md:-m-6">
      <DataTable
        label={relayText.coverage.people}
        rows={sortRows(rows, COLUMNS, sort)}
        rowId={buildCoverageRowId}
        columns={openId ? COLUMNS.slice(0, 4) : COLUMNS}
        card={(row) => <PersonCard row={row} />}
        openId={openId}
        onOpen={(row) => onOpen(buildCoverageRowId(row))}
        sort={sort}
        onSort={(next) => change({ sort: next }, 'replace')}
      />
    </div>
  );
}

const COLUMNS: readonly TableColumn<CoverageRow>[] = [
  {
    id: 'person',
    label: relayText.coverage.person,
    width: 'minmax(7rem, 1fr)',
    value: nameOf,
    cell: nameOf,
  },
  {
    id: 'agent',
    label: relayText.coverage.agent,
    width: 'minmax(6rem, 10rem)',
    value: ({ agent }) => agent,
    cell: ({ agent, agent_version }) =>
      agent === null ? relayText.none : [agent, agent_version].filter(Boolean).join(' '),
  },
  {
    id: 'state',
    label: relayText.coverage.relay,
    width: '12rem',
    cell: (row) => <DecisionStatus label={getCoverageDisplay(row)} />,
  },
  {
    id: 'covered',
    label: relayText.coverage.covered,
    width: '6rem',
    align: 'end',
    value: ({ covered_ratio }) => covered_ratio,
    cell: ({ covered_ratio }) => (
      <span title={covered_ratio === null ? relayText.coverage.notCounted : relayText.coverage.coveredHint}>
        {covered_ratio === null ? relayText.none : formatPercent(covered_ratio)}
      </span>
    ),
  },
  {
    id: 'models',
    label: relayText.coverage.modelRequests,
    width: '8.5rem',
    align: 'end',
    value: ({ model_requests }) => model_requests,
    cell: ({ model_requests }) => formatCount(model_requests),
  },
  {
    id: 'calls',
    label: relayText.coverage.relayCalls,
    width: '7rem',
    yields: 2,
    align: 'end',
    value: ({ relay_calls }) => relay_calls,
    cell: ({ relay_calls }) => formatCount(relay_calls),
  },
  {
    id: 'hook',
    label: relayText.coverage.hookVersion,
    width: '7rem',
    yields: 3,
    cell: ({ client_version }) => client_version ?? relayText.none,
  },
  {
    id: 'last',
    label: relayText.coverage.lastRelayCall,
    width: '7rem',
    yields: 1,
    value: ({ last_relay_call_at }) => last_relay_call_at,
    cell: ({ last_relay_call_at }) =>
      last_relay_call_at === null ? relayText.coverage.never : <RelativeTimeText at={last_relay_call_at} />,
  },
];

function nameOf({ owner, key }: CoverageRow): string {
  return owner ?? relayText.coverage.key(key);
}

function PersonCard({ row }: { readonly row: CoverageRow }) {
  return (
    <span className="grid gap-0.5">
      <span className="flex items-center gap-3">
        <span className="min-w-0 flex-1 truncate font-medium">
          {nameOf(row)} <span className="font-normal text-ink-2">{row.agent}</span>
        </span>
        <DecisionStatus label={getCoverageDisplay(row)} />
      </span>
      <span className="text-small text-ink-2 figures">
        {relayText.coverage.counts(row.model_requests, row.relay_calls)}
      </span>
    </span>
  );
}
