import type { Team } from '@floe/contract/api/teams';
import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { EmptyState, ErrorState, SkeletonRows } from '../../ui/feedback.tsx';
import { SourceBadge } from '../../ui/source-badge.tsx';
import type { TableColumn } from '../../ui/table-columns.ts';
import { teamsQuery } from './member-data.ts';
import { TeamDialog } from './team-dialog.tsx';
import { text } from './text.ts';

const COLUMNS: readonly TableColumn<Team>[] = [
  {
    id: 'name',
    label: text.teams.team,
    width: 'minmax(10rem, 1fr)',
    cell: ({ name }) => <span className="font-medium">{name}</span>,
  },
  {
    id: 'id',
    label: text.teams.id,
    width: 'minmax(8rem, 1fr)',
    cell: ({ id }) => <code className="font-mono text-code text-ink-2">{id}</code>,
  },
  {
    id: 'cost_center',
    label: text.teams.costCenter,
    width: 'minmax(8rem, 1fr)',
    cell: ({ cost_center }) => cost_center ?? <span className="text-ink-3">{text.none}</span>,
  },
  {
    id: 'source',
    label: text.teams.source,
    width: '9rem',
    cell: ({ source }) => <SourceBadge source={source} />,
  },
];

/** The teams that members, keys and spending belong to. */
export function TeamList() {
  const { data: rows, error, refetch } = useQuery(teamsQuery);
  const [open, setOpen] = useState<Team | 'new' | null>(null);
  if (error && !rows)
    return <ErrorState what={text.teams.loadFailed} error={error} onRetry={() => void refetch()} />;
  if (!rows) return <SkeletonRows rows={3} />;
  const add = (
    <Button icon={Plus} needs="members" onClick={() => setOpen('new')}>
      {text.teams.create}
    </Button>
  );
  return (
    <>
      {rows.length === 0 ? (
        <EmptyState title={text.teams.empty.title} action={add}>
          {text.teams.empty.text}
        </EmptyState>
      ) : (
        <>
          <div className="flex px-4 pb-3 md:px-6">{add}</div>
          <DataTable
            label={text.teams.label}
            rows={rows}
            rowId={({ id }) => id}
            columns={COLUMNS}
            card={({ name, id, cost_center }) => (
              <div className="grid gap-0.5">
                <span className="truncate font-medium">{name}</span>
                <span className="truncate text-small text-ink-2">
                  {id}
                  {cost_center && ` · ${cost_center}`}
                </span>
              </div>
            )}
            onOpen={setOpen}
            total={rows.length}
          />
        </>
      )}
      {open && <TeamDialog row={open === 'new' ? null : open} onClose={() => setOpen(null)} />}
    </>
  );
}
