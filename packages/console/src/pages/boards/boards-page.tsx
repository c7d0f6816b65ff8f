import type { Board } from '@floe/contract/api/boards';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { ExternalLink, Globe, Lock, Plus } from 'lucide-react';
import { PageFrame } from '../../app/page-frame.tsx';
import { useShortcuts } from '../../app/shortcuts.ts';
import { useOrgId } from '../../app/url-state.ts';
import { apiUrl } from '../../data/base.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { EmptyState, ErrorState, SkeletonRows } from '../../ui/feedback.tsx';
import { SourceBadge } from '../../ui/source-badge.tsx';
import type { Column } from '../../ui/table-columns.ts';
import { boardsOfOrgQuery } from '../monitors/monitor-data.ts';

/** What do others see? */
export function BoardsPage() {
  const answer = useQuery(boardsOfOrgQuery);
  const navigate = useNavigate();
  const org = useOrgId();
  const go = (to: string) => void navigate({ to: `/o/${org}/boards${to}` });
  useShortcuts([{ keys: 'c', does: 'New board', run: () => go('/new') }]);
  const create = (
    <Button look="primary" icon={Plus} needs="monitoring" onClick={() => go('/new')}>
      New board
    </Button>
  );
  return (
    <PageFrame title="Boards" padded={false} actions={create}>
      {answer.error && !answer.data ? (
        <ErrorState
          what="Could not load boards."
          error={answer.error}
          onRetry={() => void answer.refetch()}
        />
      ) : !answer.data ? (
        <SkeletonRows />
      ) : answer.data.data.length === 0 ? (
        <EmptyState title="No boards" action={create}>
          A board shows chosen monitors to people who cannot sign in.
        </EmptyState>
      ) : (
        <DataTable
          label="Boards"
          rows={answer.data.data}
          rowId={({ slug }) => slug}
          columns={COLUMNS}
          total={answer.data.data.length}
          card={(row) => <BoardCard row={row} />}
          onOpen={({ slug }) => go(`/${slug}/edit`)}
        />
      )}
    </PageFrame>
  );
}

const COLUMNS: readonly Column<Board>[] = [
  {
    id: 'name',
    label: 'Name',
    width: 'minmax(8rem, 1fr)',
    cell: ({ name }) => <span className="font-medium">{name}</span>,
  },
  { id: 'public', label: 'Who sees it', width: '10rem', cell: (row) => <WhoSees row={row} /> },
  { id: 'address', label: 'Address', width: 'minmax(10rem, 18rem)', cell: (row) => <Address row={row} /> },
  { id: 'monitors', label: 'Monitors', width: '5rem', align: 'end', cell: (row) => monitorsOn(row) },
  { id: 'source', label: 'Source', width: '8rem', cell: ({ source }) => <SourceBadge source={source} /> },
];

function monitorsOn({ groups }: Board): number {
  return groups.reduce((sum, { monitors }) => sum + monitors.length, 0);
}

function WhoSees({ row: { public: open } }: { readonly row: Board }) {
  const Icon = open ? Globe : Lock;
  return (
    <span className="flex items-center gap-1.5 text-ink-2">
      <Icon size={14} aria-hidden="true" /> {open ? 'anyone with the link' : 'members'}
    </span>
  );
}

function Address({ row: { slug, public: open } }: { readonly row: Board }) {
  const path = `/boards/${slug}`;
  if (!open) return <code className="font-mono text-code text-ink-3">{path}</code>;
  const url = apiUrl(path).href;
  return (
    <span className="flex items-center gap-1">
      <a href={url} target="_blank" rel="noreferrer" className="text-accent-ink underlined">
        <code className="font-mono text-code">{path}</code>
        <ExternalLink size={12} aria-label="opens another tab" role="img" className="ml-1 inline" />
      </a>
      <CopyButton text={url} label={`Copy the link of ${slug}`} />
    </span>
  );
}

function BoardCard({ row }: { readonly row: Board }) {
  return (
    <div className="flex items-center gap-3 text-body">
      <div className="min-w-0 flex-1">
        <div className="truncate">{row.name}</div>
        <div className="truncate text-small text-ink-2">
          <WhoSees row={row} />
        </div>
      </div>
      <span className="text-small text-ink-2 figures">
        {monitorsOn(row) === 1 ? '1 monitor' : `${monitorsOn(row)} monitors`}
      </span>
    </div>
  );
}
