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

const COLUMNS: readonly TableColumn<Team>[] = [
  {
    id: 'name',
    label: 'Team',
    width: 'minmax(10rem, 1fr)',
    cell: ({ name }) => <span className="font-medium">{name}</span>,
  },
  {
    id: 'id',
    label: 'Id',
    width: 'minmax(8rem, 1fr)',
    cell: ({ id }) => <code className="font-mono text-code text-ink-2">{id}</code>,
  },
  {
    id: 'cost_center',
    label: 'Cost centre',
    width: 'minmax(8rem, 1fr)',
    cell: ({ cost_center }) => cost_center ?? <span className="text-ink-3">–</span>,
  },
  { id: 'source', label: 'Source', width: '9rem', cell: ({ source }) => <SourceBadge source={source} /> },
];

/** Teams: who keys, members and spending belong to. */
export function TeamList() {
  const { data: rows, error, refetch } = useQuery(teamsQuery);
  const [open, setOpen] = useState<Team | 'new' | null>(null);
  if (error && !rows)
    return <ErrorState what="Could not load teams." error={error} onRetry={() => void refetch()} />;
  if (!rows) return <SkeletonRows rows={3} />;
  const add = (
    <Button icon={Plus} needs="members" onClick={() => setOpen('new')}>
      New team
    </Button>
  );
  return (
    <>
      {rows.length === 0 ? (
        <EmptyState title="No teams" action={add}>
          Members and keys belong to a team, and spending is added up for it.
        </EmptyState>
      ) : (
        <>
          <div className="flex px-4 pb-3 md:px-6">{add}</div>
          <DataTable
            label="Teams"
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
