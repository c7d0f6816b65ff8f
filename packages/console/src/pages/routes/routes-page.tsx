import { ListPage } from '../../app/list-page.tsx';
import { useResourceNavigate } from '../../app/use-org-navigate.ts';
import { buildListQuery, useListRows } from '../../data/lists.ts';
import { useRefetchOnEvent } from '../../data/use-refetch-on-event.ts';
import { OrderNotice, useOrderColumn } from '../../ui/order-column.tsx';
import { SourceBadge } from '../../ui/source-badge.tsx';
import { StatusIcon } from '../../ui/status.tsx';
import type { TableColumn } from '../../ui/table-columns.ts';
import { ROUTE_RESOURCE_KIND, ROUTE_STRATEGY_OPTIONS, type Route } from './route-form.ts';
import { type BreakersByModel, TargetStatus, useWorstBreakersByModel } from './target-status.tsx';
import { routesText } from './text.ts';

/** Lists the routes of the organization in the order in which they are matched. */
export function RoutesPage() {
  useRefetchOnEvent('config', ['routes']);
  const list = useListRows(buildListQuery<Route>('routes', ROUTE_RESOURCE_KIND.path));
  const states = useWorstBreakersByModel();
  const open = useResourceNavigate('/management/routes');
  const order = useOrderColumn(ROUTE_RESOURCE_KIND, list.rows);
  return (
    <ListPage
      title={routesText.page.title}
      one={routesText.page.one}
      list={list}
      columns={[...columns(states), order.column]}
      card={(route) => <RouteCard route={route} states={states} />}
      onOpen={open}
      above={
        <OrderNotice rows={list.rows} error={order.error}>
          {routesText.page.order}
        </OrderNotice>
      }
      empty={routesText.page.empty}
    />
  );
}

function columns(states: BreakersByModel): readonly TableColumn<Route>[] {
  return [
    {
      id: 'model',
      label: routesText.columns.model,
      width: 'minmax(8rem, 14rem)',
      cell: ({ model, enabled }) => (
        <span className="flex items-center gap-2">
          <span className="truncate font-medium">{model}</span>
          {!enabled && (
            <span className="flex items-center gap-1 text-ink-2">
              <StatusIcon state="paused" size={14} /> {routesText.columns.disabled}
            </span>
          )}
        </span>
      ),
    },
    {
      id: 'strategy',
      label: routesText.columns.strategy,
      width: '8rem',
      cell: ({ strategy }) => strategyName(strategy),
    },
    {
      id: 'targets',
      label: routesText.columns.targets,
      width: 'minmax(10rem, 1fr)',
      cell: (route) => <Targets route={route} states={states} />,
    },
    {
      id: 'retries',
      label: routesText.columns.retries,
      width: '4.5rem',
      align: 'end',
      cell: ({ retries }) => retries,
    },
    {
      id: 'source',
      label: routesText.columns.source,
      width: '8rem',
      yields: 1,
      cell: ({ source }) => <SourceBadge source={source} />,
    },
  ];
}

function strategyName(strategy: Route['strategy']): string {
  return ROUTE_STRATEGY_OPTIONS.find(({ id }) => id === strategy)?.label ?? strategy;
}

function Targets({ route, states }: { readonly route: Route; readonly states: BreakersByModel }) {
  if (route.targets.length === 0) return <span className="text-ink-3">{routesText.columns.noTargets}</span>;
  return (
    <span className="flex min-w-0 gap-3 overflow-hidden">
      {route.targets.map(({ model }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a target can be listed twice; its position identifies it.
        <span key={index} className="inline-flex shrink-0 items-center gap-1">
          {model} <TargetStatus states={states} model={model} />
        </span>
      ))}
    </span>
  );
}

function RouteCard({ route, states }: { readonly route: Route; readonly states: BreakersByModel }) {
  return (
    <span className="grid gap-0.5">
      <span className="truncate font-medium">
        {route.model}{' '}
        <span className="font-normal text-ink-2">{strategyName(route.strategy).toLowerCase()}</span>
      </span>
      <span className="truncate text-small text-ink-2">
        <Targets route={route} states={states} />
      </span>
    </span>
  );
}
