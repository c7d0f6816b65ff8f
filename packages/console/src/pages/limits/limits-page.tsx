import { Plus } from 'lucide-react';
import { PageFrame } from '../../app/page-frame.tsx';
import { useShortcuts } from '../../app/shortcuts.ts';
import { useUrlState } from '../../app/url-state.ts';
import { useLiveQuery } from '../../data/events.ts';
import { listQuery, useRows } from '../../data/lists.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/feedback.tsx';
import { Results } from '../../ui/results.tsx';
import { SourceBadge } from '../../ui/source-badge.tsx';
import { type Column, readSort, sorted } from '../../ui/table-columns.ts';
import { LimitDrawer } from './limit-drawer.tsx';
import type { Limit } from './limit-form.ts';
import { Use } from './limit-use.tsx';
import { capital, subjectText } from './subject.ts';

/** Bars move while one looks: the list is read again every two seconds, which counts nothing. */
const PEEK_MS = 2000;

/** How fast anyone may send, and how close they are to it right now. */
export function LimitsPage() {
  const { query, change } = useUrlState();
  useLiveQuery('config', ['limits']);
  const list = useRows(listQuery<Limit>('limits', 'api/management/limits'), PEEK_MS);
  const open = query.get('open');
  const sort = readSort(query.get('sort'));
  const create = () => change({ open: 'new' });
  useShortcuts([{ keys: 'c', does: 'New limit', run: create }]);
  const add = (
    <Button look="primary" icon={Plus} needs="management" onClick={create}>
      Add limit
    </Button>
  );
  return (
    <PageFrame
      title="Limits"
      padded={false}
      actions={add}
      beside={
        open && (
          <LimitDrawer
            id={open}
            onOpen={(id) => change({ open: id })}
            onClose={() => change({ open: null })}
          />
        )
      }
    >
      <Results
        list={list}
        what="limits"
        label="Limits"
        shown={sorted(list.rows ?? [], COLUMNS, sort)}
        rowId={({ id }) => id}
        columns={open ? COLUMNS.filter(({ id }) => id !== 'source' && id !== 'tpm') : COLUMNS}
        card={(limit) => <LimitCard limit={limit} />}
        onOpen={({ id }) => change({ open: id })}
        openId={open}
        sort={sort}
        onSort={(next) => change({ sort: next }, 'replace')}
        empty={
          <EmptyState title="No limits" action={add}>
            Anyone with a key can send as fast as the providers allow.
          </EmptyState>
        }
      />
    </PageFrame>
  );
}

const COLUMNS: readonly Column<Limit>[] = [
  {
    id: 'subject',
    label: 'Applies to',
    width: 'minmax(7rem, 1fr)',
    value: subjectText,
    cell: (limit) => (
      <span className="truncate">
        {capital(subjectText(limit))}
        {limit.name && <span className="ml-2 text-ink-3">{limit.name}</span>}
      </span>
    ),
  },
  {
    id: 'model',
    label: 'Models',
    width: 'minmax(5rem, 12rem)',
    value: ({ model }) => model,
    cell: ({ model }) => model ?? 'all',
  },
  {
    id: 'rpm',
    label: 'Requests a minute',
    width: '12rem',
    value: ({ rpm }) => rpm,
    cell: (limit) => <Use limit={limit} bound="rpm" />,
  },
  {
    id: 'tpm',
    label: 'Tokens a minute',
    width: '13rem',
    value: ({ tpm }) => tpm,
    cell: (limit) => <Use limit={limit} bound="tpm" />,
  },
  {
    id: 'concurrency',
    label: 'At once',
    width: '8rem',
    value: ({ concurrency }) => concurrency,
    cell: (limit) => <Use limit={limit} bound="concurrency" />,
  },
  { id: 'source', label: 'Source', width: '8rem', cell: ({ source }) => <SourceBadge source={source} /> },
];

function LimitCard({ limit }: { readonly limit: Limit }) {
  const bound = (['rpm', 'tpm', 'concurrency'] as const).find((one) => limit[one] !== null) ?? 'rpm';
  return (
    <span className="grid gap-0.5">
      <span className="truncate font-medium">
        {capital(subjectText(limit))}
        <span className="font-normal text-ink-2"> · {limit.model ?? 'all models'}</span>
      </span>
      <span className="flex items-center gap-2 text-small text-ink-2">
        {bound} <Use limit={limit} bound={bound} />
      </span>
    </span>
  );
}
