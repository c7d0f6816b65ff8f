import type { Board } from '@floe/contract/api/boards';
import { ExternalLink, Globe, Lock } from 'lucide-react';
import { ListPage } from '../../app/list-page.tsx';
import { useResourceNavigate } from '../../app/use-org-navigate.ts';
import { buildApiUrl } from '../../data/base-url.ts';
import { buildListQuery, useListRows } from '../../data/lists.ts';
import { useRefetchOnEvent } from '../../data/use-refetch-on-event.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { SourceBadge } from '../../ui/source-badge.tsx';
import type { TableColumn } from '../../ui/table-columns.ts';
import { BOARD_RESOURCE_KIND } from './board-form.ts';
import { boardsText } from './text.ts';

/** Lists the status pages of the organization. */
export function BoardsPage() {
  useRefetchOnEvent('config', ['boards']);
  const list = useListRows(buildListQuery<Board>('boards', BOARD_RESOURCE_KIND.path));
  return (
    <ListPage
      title={boardsText.page.title}
      one={boardsText.page.resource}
      needs={BOARD_RESOURCE_KIND.needs}
      list={list}
      idOf={({ slug }) => slug}
      columns={COLUMNS}
      card={(row) => <BoardCard row={row} />}
      onOpen={useResourceNavigate('/boards', '/edit')}
      empty={{ title: boardsText.page.emptyTitle, text: boardsText.page.empty }}
    />
  );
}

const COLUMNS: readonly TableColumn<Board>[] = [
  {
    id: 'name',
    label: boardsText.columns.name,
    width: 'minmax(8rem, 1fr)',
    cell: ({ name }) => <span className="font-medium">{name}</span>,
  },
  {
    id: 'public',
    label: boardsText.columns.visibility,
    width: '10rem',
    cell: (row) => <BoardVisibility row={row} />,
  },
  {
    id: 'address',
    label: boardsText.columns.url,
    width: 'minmax(10rem, 18rem)',
    cell: (row) => <BoardLink row={row} />,
  },
  {
    id: 'monitors',
    label: boardsText.columns.monitors,
    width: '5rem',
    align: 'end',
    cell: (row) => countBoardMonitors(row),
  },
  {
    id: 'source',
    label: boardsText.columns.source,
    width: '8rem',
    yields: 1,
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
      <Icon size={14} aria-hidden="true" /> {open ? boardsText.columns.public : boardsText.columns.private}
    </span>
  );
}

function BoardLink({ row: { slug } }: { readonly row: Board }) {
  const path = `/boards/${slug}`;
  const url = buildApiUrl(path).href;
  return (
    <span className="flex items-center gap-1">
      <a href={url} target="_blank" rel="noreferrer" className="text-accent-ink underlined">
        <code className="font-mono text-code">{path}</code>
        <ExternalLink size={12} aria-label={boardsText.columns.newTab} role="img" className="ml-1 inline" />
      </a>
      <CopyButton text={url} label={boardsText.columns.copyLink(slug)} />
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
        {boardsText.columns.monitorCount(countBoardMonitors(row))}
      </span>
    </div>
  );
}
