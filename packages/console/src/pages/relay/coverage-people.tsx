import type { ReactNode } from 'react';
import { useUrlState } from '../../app/url-state.ts';
import { formatCount, formatPercent } from '../../format/amounts.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { parseSort, sortRows, type TableColumn } from '../../ui/table-columns.ts';
import { TimeText } from '../../ui/time-text.tsx';
import { type CoverageRow, coverageId, coverageStatus } from './coverage-status.ts';
import { DecisionStatus } from './decision-status.tsx';

/** People by agent; who uses models and never asks the relay comes first. */
export function CoveragePeople({
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
        label="People"
        rows={sortRows(rows, COLUMNS, sort)}
        rowId={coverageId}
        columns={openId ? COLUMNS.slice(0, 4) : COLUMNS}
        card={(row) => <PersonCard row={row} />}
        openId={openId}
        onOpen={(row) => onOpen(coverageId(row))}
        sort={sort}
        onSort={(next) => change({ sort: next }, 'replace')}
      />
    </div>
  );
}

const COLUMNS: readonly TableColumn<CoverageRow>[] = [
  {
    id: 'person',
    label: 'Person',
    width: 'minmax(7rem, 1fr)',
    value: nameOf,
    cell: nameOf,
  },
  {
    id: 'agent',
    label: 'Agent',
    width: 'minmax(6rem, 10rem)',
    value: ({ agent }) => agent,
    cell: ({ agent, agent_version }) =>
      agent === null ? '–' : [agent, agent_version].filter(Boolean).join(' '),
  },
  {
    id: 'state',
    label: 'Relay',
    width: '12rem',
    cell: (row) => <DecisionStatus said={coverageStatus(row)} />,
  },
  {
    id: 'covered',
    label: 'Covered',
    width: '6rem',
    align: 'end',
    value: ({ covered_ratio }) => covered_ratio,
    cell: ({ covered_ratio }) => (covered_ratio === null ? '–' : formatPercent(covered_ratio)),
  },
  {
    id: 'models',
    label: 'Model requests',
    width: '8.5rem',
    align: 'end',
    value: ({ model_requests }) => model_requests,
    cell: ({ model_requests }) => formatCount(model_requests),
  },
  {
    id: 'calls',
    label: 'Relay calls',
    width: '7rem',
    align: 'end',
    value: ({ relay_calls }) => relay_calls,
    cell: ({ relay_calls }) => formatCount(relay_calls),
  },
  { id: 'hook', label: 'Hook', width: '6rem', cell: ({ client_version }) => client_version ?? '–' },
  {
    id: 'last',
    label: 'Last asked',
    width: '7rem',
    value: ({ last_relay_call_at }) => last_relay_call_at,
    cell: ({ last_relay_call_at }) =>
      last_relay_call_at === null ? 'never' : <TimeText at={last_relay_call_at} />,
  },
];

function nameOf({ owner, key }: CoverageRow): string {
  return owner ?? `key ${key}`;
}

function PersonCard({ row }: { readonly row: CoverageRow }) {
  return (
    <span className="grid gap-0.5">
      <span className="flex items-center gap-3">
        <span className="min-w-0 flex-1 truncate font-medium">
          {nameOf(row)} <span className="font-normal text-ink-2">{row.agent}</span>
        </span>
        <DecisionStatus said={coverageStatus(row)} />
      </span>
      <span className="text-small text-ink-2 figures">
        {formatCount(row.model_requests)} model requests · {formatCount(row.relay_calls)} relay calls
      </span>
    </span>
  );
}
