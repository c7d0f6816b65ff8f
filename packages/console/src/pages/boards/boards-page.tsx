import type { Board } from '@floe/contract/api/boards';
import { ExternalLink, Globe, Lock } from 'lucide-react';
import { ListPage } from '../../app/list-page.tsx';
import { useResourceNavigate } from '../../app/use-org-navigate.ts';
import { apiUrl } from '../../data/base.ts';
import { useLiveQuery } from '../../data/events.ts';
import { listQuery, useRows } from '../../data/lists.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { SourceBadge } from '../../ui/source-badge.tsx';
import type { TableColumn } from '../../ui/table-columns.ts';
import { BOARD_RESOURCE } from './board-form.ts';
import { text } from './text.ts';

/** The status pages of the organization. */
export function BoardsPage() {
  useLiveQuery('config', ['boards']);
  const list = useRows(listQuery<Board>('boards', BOARD_RESOURCE.path));
  return (
    <ListPage
      title={text.page.title}
      one={text.page.resource}
      needs={BOARD_RESOURCE.needs}
      list={list}
      idOf={({ slug }) => slug}
      columns={COLUMNS}
      card={(row) => <BoardCard row={row} />}
      onOpen={useResourceNavigate('/boards', '/edit')}
      empty={{ title: text.page.emptyTitle, text: text.page.empty }}
    />
  );
}

const COLUMNS: readonly TableColumn<Board>[] = [
  {
    id: 'name',
    label: text.columns.name,
    width: 'minmax(8rem, 1fr)',
    cell: ({ name }) => <span className="font-medium">{name}</span>,
  },
  {
    id: 'public',
    label: text.columns.visibility,
    width: '10rem',
    cell: (row) => <BoardVisibility row={row} />,
  },
  {
    id: 'address',
    label: text.columns.url,
    width: 'minmax(10rem, 18rem)',
    cell: (row) => <BoardLink row={row} />,
  },
  {
    id: 'monitors',
    label: text.columns.monitors,
    width: '5rem',
    align: 'end',
    cell: (row) => countBoardMonitors(row),
  },
  {
    id: 'source',
    label: text.columns.source,
    width: '8rem',
    cell: ({ source }) => <SourceBadge source={source} />,
  },
];

function countBoardMonitors({ groups }: Board): number {
  return groups.reduce((sum, { monitors }) => sum + monitors.length, 0);
}

function BoardVisibility({ row: { public: open } }: { readonly row: Board }) {
  const Icon = open ? Globe : Lock;
  return (
    <span className="flex items-center gap-1.5 text-ink-2">
      <Icon size={14} aria-hidden="true" /> {open ? text.columns.public : text.columns.private}
    </span>
  );
}

function BoardLink({ row: { slug, public: open } }: { readonly row: Board }) {
  const path = `/boards/${slug}`;
  if (!open) return <code className="font-mono text-code text-ink-3">{path}</code>;
  const url = apiUrl(path).href;
  return (
    <span className="flex items-center gap-1">
      <a href={url} target="_blank" rel="noreferrer" className="text-accent-ink underlined">
        <code className="font-mono text-code">{path}</code>
        <ExternalLink size={12} aria-label={text.columns.newTab} role="img" className="ml-1 inline" />
      </a>
      <CopyButton text={url} label={text.columns.copyLink(slug)} />
    </span>
  );
}

function BoardCard({ row }: { readonly row: Board }) {
  return (
    <div className="flex items-center gap-3 text-body">
      <div className="min-w-0 flex-1">
        <div className="truncate">{row.name}</div>
        <div className="truncate text-small text-ink-2">
          <BoardVisibility row={row} />
        </div>
      </div>
      <span className="text-small text-ink-2 figures">
        {text.columns.monitorCount(countBoardMonitors(row))}
      </span>
    </div>
  );
}
