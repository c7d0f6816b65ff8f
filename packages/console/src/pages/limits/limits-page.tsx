import { ListPage } from '../../app/list-page.tsx';
import { buildListQuery, useListRows } from '../../data/lists.ts';
import { useRefetchOnEvent } from '../../data/use-refetch-on-event.ts';
import { capitalize } from '../../format/words.ts';
import { SourceBadge } from '../../ui/source-badge.tsx';
import type { TableColumn } from '../../ui/table-columns.ts';
import { LimitDrawer } from './limit-drawer.tsx';
import { LIMIT_RESOURCE_KIND, type Limit } from './limit-form.ts';
import { describeLimitSubject } from './limit-subject.ts';
import { LimitUsage } from './limit-usage.tsx';
import { limitsText } from './text.ts';

/** Interval in milliseconds at which the list is refetched. Reading it counts against no limit. */
const REFETCH_MS = 2000;
const BESIDE_DRAWER: ReadonlySet<string> = new Set(['subject', 'model', 'rpm']);

/** Lists the limits of the organization with their current usage. */
export function LimitsPage() {
  useRefetchOnEvent('config', ['limits']);
  const list = useListRows(buildListQuery<Limit>('limits', LIMIT_RESOURCE_KIND.path), REFETCH_MS);
  return (
    <ListPage
      title={limitsText.page.title}
      one={limitsText.page.one}
      list={list}
      columns={COLUMNS}
      besideDrawer={BESIDE_DRAWER}
      card={(limit) => <LimitCard limit={limit} />}
      drawer={(id, onOpen, onClose) => <LimitDrawer id={id} onOpen={onOpen} onClose={onClose} />}
      empty={limitsText.page.empty}
    />
  );
}

const COLUMNS: readonly TableColumn<Limit>[] = [
  {
    id: 'subject',
    label: limitsText.columns.subject,
    width: 'minmax(7rem, 1fr)',
    value: describeLimitSubject,
    cell: (limit) => (
      <span className="truncate" title={[describeLimitSubject(limit), limit.name].join(' ').trim()}>
        {capitalize(describeLimitSubject(limit))}
        {limit.name && <span className="ml-2 text-ink-3">{limit.name}</span>}
      </span>
    ),
  },
  {
    id: 'model',
    label: limitsText.columns.model,
    width: 'minmax(5rem, 0.5fr)',
    value: ({ model }) => model,
    cell: ({ model }) => model ?? limitsText.columns.allModels,
  },
  {
    id: 'rpm',
    label: limitsText.bounds.rpm,
    width: '12rem',
    value: ({ rpm }) => rpm,
    cell: (limit) => <LimitUsage limit={limit} bound="rpm" />,
  },
  {
    id: 'tpm',
    label: limitsText.bounds.tpm,
    width: '13rem',
    value: ({ tpm }) => tpm,
    cell: (limit) => <LimitUsage limit={limit} bound="tpm" />,
  },
  {
    id: 'concurrency',
    label: limitsText.bounds.concurrency,
    width: '8rem',
    yields: 1,
    value: ({ concurrency }) => concurrency,
    cell: (limit) => <LimitUsage limit={limit} bound="concurrency" />,
  },
  {
    id: 'source',
    label: limitsText.columns.source,
    width: '8rem',
    yields: 2,
    cell: ({ source }) => <SourceBadge source={source} />,
  },
];

function LimitCard({ limit }: { readonly limit: Limit }) {
  const bound = (['rpm', 'tpm', 'concurrency'] as const).find((one) => limit[one] !== null) ?? 'rpm';
  return (
    <span className="grid gap-0.5">
      <span className="truncate font-medium">
        {capitalize(describeLimitSubject(limit))}
        <span className="font-normal text-ink-2"> · {limit.model ?? limitsText.page.allModels}</span>
      </span>
      <span className="flex items-center gap-2 text-small text-ink-2">
        {limitsText.bounds[bound]} <LimitUsage limit={limit} bound={bound} />
      </span>
    </span>
  );
}
