import { ArrowRight } from 'lucide-react';
import { OrgLink } from '../../app/org-link.tsx';
import { PageFrame } from '../../app/page-frame.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { buildListQuery, useListRows } from '../../data/lists.ts';
import { useRefetchOnEvent } from '../../data/use-refetch-on-event.ts';
import { toFilterQuery, toFilterTokens } from '../../filters/filter-text.ts';
import { formatCount, formatTokens } from '../../format/amounts.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/feedback.tsx';
import { FilterBar } from '../../ui/filter-bar.tsx';
import { QueryResults } from '../../ui/query-results.tsx';
import { Badge } from '../../ui/status.tsx';
import { parseSort, sortRows, type TableColumn } from '../../ui/table-columns.ts';
import { ModelAvailabilityCheck } from './model-availability-check.tsx';
import { ModelDrawer } from './model-drawer.tsx';
import { formatModelPrice, type ModelResource } from './model-price.ts';
import { modelsText } from './text.ts';

const FIELDS = [
  { name: 'search', label: 'id', hint: modelsText.page.idFilterHint },
  { name: 'provider', label: 'provider' },
];

const BESIDE_DRAWER: ReadonlySet<string> = new Set(['id', 'input', 'output', 'context']);

/** Lists the models of the organization with their limits and prices. */
export function ModelsPage() {
  const { query, change } = useUrlState();
  useRefetchOnEvent('config', ['models']);
  const filters = toFilterTokens(query, FIELDS);
  const wanted = toFilterQuery(filters);
  const list = useListRows(buildListQuery<ModelResource>('models', 'api/management/models', wanted));
  const open = query.get('open');
  const sort = parseSort(query.get('sort'));
  const shown = list.rows?.find(({ id }) => id === open);
  return (
    <PageFrame
      title={modelsText.page.title}
      padded={false}
      beside={open && <ModelDrawer id={open} model={shown} onClose={() => change({ open: null })} />}
    >
      <div className="grid gap-3 px-4 pb-3 md:px-6">
        <ModelAvailabilityCheck />
        <FilterBar
          fields={FIELDS}
          tokens={filters}
          onAdd={({ name, value }) => change({ [name]: value })}
          onRemove={(name) => change({ [name]: null })}
          placeholder={modelsText.page.filterPlaceholder}
        />
        <p className="text-small text-ink-3">{modelsText.page.priceUnit}</p>
      </div>
      <QueryResults
        list={list}
        what={modelsText.page.what}
        label={modelsText.page.title}
        shown={sortRows(list.rows ?? [], COLUMNS, sort)}
        rowId={({ id }) => id}
        columns={open ? COLUMNS.filter(({ id }) => BESIDE_DRAWER.has(id)) : COLUMNS}
        card={(model) => <ModelCard model={model} />}
        onOpen={({ id }) => change({ open: id })}
        openId={open}
        sort={sort}
        onSort={(next) => change({ sort: next }, 'replace')}
        empty={
          <NoModels
            isFiltered={filters.length > 0}
            onClear={() => change({ search: null, provider: null })}
          />
        }
      />
    </PageFrame>
  );
}

function NoModels({ isFiltered, onClear }: { readonly isFiltered: boolean; readonly onClear: () => void }) {
  const { empty, noMatch } = modelsText.page;
  if (isFiltered)
    return (
      <EmptyState title={noMatch.title} action={<Button onClick={onClear}>{noMatch.action}</Button>}>
        {noMatch.text}
      </EmptyState>
    );
  return (
    <EmptyState
      title={empty.title}
      action={
        <OrgLink to="/management/providers/new" needs="management">
          {empty.action}
        </OrgLink>
      }
    >
      {empty.text}
    </EmptyState>
  );
}

const price = (
  id: string,
  label: string,
  of: (prices: NonNullable<ModelResource['prices']>) => number | null,
): TableColumn<ModelResource> => ({
  id,
  label,
  width: '6rem',
  align: 'end',
  value: ({ prices }) => (prices ? of(prices) : null),
  cell: ({ kind, prices }) =>
    kind === 'alias' ? (
      <span className="text-ink-3">{modelsText.columns.none}</span>
    ) : (
      formatModelPrice(prices ? of(prices) : undefined)
    ),
});

const COLUMNS: readonly TableColumn<ModelResource>[] = [
  {
    id: 'id',
    label: modelsText.columns.model,
    width: 'minmax(9rem, 1fr)',
    value: ({ id }) => id,
    cell: (model) => <ModelName model={model} />,
  },
  {
    id: 'context',
    label: modelsText.columns.context,
    width: '6rem',
    align: 'end',
    value: (model) => model.context_window,
    cell: (model) => formatTokens(model.context_window),
  },
  {
    id: 'max_output_tokens',
    label: modelsText.columns.maxOutput,
    width: '7rem',
    yields: 2,
    align: 'end',
    value: (model) => model.max_output_tokens,
    cell: (model) => formatTokens(model.max_output_tokens),
  },
  price('input', modelsText.columns.input, ({ input_usd }) => input_usd),
  price('output', modelsText.columns.output, ({ output_usd }) => output_usd),
  price('cache', modelsText.columns.cacheRead, ({ cache_read_usd }) => cache_read_usd),
  {
    id: 'keys',
    label: modelsText.columns.keys,
    width: '5rem',
    align: 'end',
    value: ({ keys }) => keys.count,
    cell: ({ keys }) => formatCount(keys.count),
  },
];

function ModelName({ model: { id, kind, targets } }: { readonly model: ModelResource }) {
  const slash = id.indexOf('/') + 1;
  return (
    <span className="flex min-w-0 items-center gap-1.5">
      <span className={targets.length > 0 ? 'shrink-0' : 'truncate'}>
        <span className="text-ink-3">{id.slice(0, slash)}</span>
        {id.slice(slash)}
      </span>
      {kind === 'alias' && (
        <span className="shrink-0">
          <Badge>{modelsText.columns.alias}</Badge>
        </span>
      )}
      {targets.length > 0 && (
        <span className="flex min-w-0 items-center gap-1 text-ink-2">
          <ArrowRight
            size={12}
            className="shrink-0 text-ink-3"
            role="img"
            aria-label={modelsText.columns.routesTo}
          />
          <span className="truncate">{targets.join(', ')}</span>
        </span>
      )}
    </span>
  );
}

function ModelCard({ model }: { readonly model: ModelResource }) {
  const { kind, prices, context_window } = model;
  return (
    <span className="grid gap-0.5">
      <span className="truncate font-medium">{model.id}</span>
      <span className="truncate text-small text-ink-2 figures">
        {kind === 'alias'
          ? modelsText.card.alias(model.targets.join(', '))
          : modelsText.card.model(
              context_window === null ? null : formatTokens(context_window),
              formatModelPrice(prices?.input_usd),
              formatModelPrice(prices?.output_usd),
            )}
      </span>
    </span>
  );
}
