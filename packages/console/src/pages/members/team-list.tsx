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
import { membersText } from './text.ts';

const COLUMNS: readonly TableColumn<Team>[] = [
  {
    id: 'name',
    label: membersText.teams.team,
    width: 'minmax(10rem, 1fr)',
    cell: ({ name }) => <span className="font-medium">{name}</span>,
  },
  {
    id: 'id',
    label: membersText.teams.id,
    width: 'minmax(8rem, 1fr)',
    cell: ({ id }) => <code className="font-mono text-code text-ink-2">{id}</code>,
  },
  {
    id: 'cost_center',
    label: membersText.teams.costCenter,
    width: 'minmax(8rem, 1fr)',
    cell: ({ cost_center }) => cost_center ?? <span className="text-ink-3">{membersText.none}</span>,
  },
  {
    id: 'source',
    label: membersText.teams.source,
    width: '9rem',
    cell: ({ source }) => <SourceBadge source={source} />,
  },
];

/** Lists the teams of the organization. */
export function TeamList() {
  const { data: rows, error, refetch } = useQuery(teamsQuery);
  const [open, setOpen] = useState<Team | 'new' | null>(null);
  if (error && !rows)
    return <ErrorState what={membersText.teams.loadFailed} error={error} onRetry={() => void refetch()} />;
  if (!rows) return <SkeletonRows rows={3} />;
  const add = (
    <Button icon={Plus} needs="members" onClick={() => setOpen('new')}>
      {membersText.teams.create}
    </Button>
  );
  return (
    <>
      {rows.length === 0 ? (
        <EmptyState title={membersText.teams.empty.title} action={add}>
          {membersText.teams.empty.text}
        </EmptyState>
      ) : (
        <>
          <div className="flex px-4 pb-3 md:px-6">{add}</div>
          <DataTable
            label={membersText.teams.label}
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
