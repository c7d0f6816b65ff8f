import { ListPage } from '../../app/list-page.tsx';
import { useResourceNavigate } from '../../app/use-org-navigate.ts';
import { useLiveQuery } from '../../data/events.ts';
import { listQuery, useRows } from '../../data/lists.ts';
import { OrderNotice, useManualOrder } from '../../ui/order-column.tsx';
import { SourceBadge } from '../../ui/source-badge.tsx';
import { StatusIcon } from '../../ui/status.tsx';
import type { TableColumn } from '../../ui/table-columns.ts';
import { ROUTES, type Route, STRATEGIES } from './route-form.ts';
import { TargetMark, type TargetStates, useTargetStates } from './target-states.tsx';

/** Where requests for a model go, in the order in which routes are looked at. */
export function RoutesPage() {
  useLiveQuery('config', ['routes']);
  const list = useRows(listQuery<Route>('routes', ROUTES.path));
  const states = useTargetStates();
  const open = useResourceNavigate('/management/routes');
  const order = useManualOrder(ROUTES, list.rows);
  return (
    <ListPage
      title="Routes"
      one="route"
      list={list}
      columns={[...columns(states), order.column]}
      card={(route) => <RouteCard route={route} states={states} />}
      onOpen={open}
      above={
        <OrderNotice rows={list.rows} error={order.error}>
          The first route that matches the model of a request takes it. Routes of the file come first.
        </OrderNotice>
      }
      empty={{
        title: 'No routes. Every model goes straight to its provider.',
        text: 'A route adds failover, weights, or a name of your own such as smart.',
      }}
    />
  );
}

function columns(states: TargetStates): readonly TableColumn<Route>[] {
  return [
    {
      id: 'model',
      label: 'Model or alias',
      width: 'minmax(8rem, 14rem)',
      cell: ({ model, enabled }) => (
        <span className="flex items-center gap-2">
          <span className="truncate font-medium">{model}</span>
          {!enabled && (
            <span className="flex items-center gap-1 text-ink-2">
              <StatusIcon state="paused" size={14} /> off
            </span>
          )}
        </span>
      ),
    },
    { id: 'strategy', label: 'Strategy', width: '6.5rem', cell: ({ strategy }) => strategyName(strategy) },
    {
      id: 'targets',
      label: 'Targets',
      width: 'minmax(10rem, 1fr)',
      cell: (route) => <Targets route={route} states={states} />,
    },
    { id: 'retries', label: 'Retries', width: '4.5rem', align: 'end', cell: ({ retries }) => retries },
    { id: 'source', label: 'Source', width: '8rem', cell: ({ source }) => <SourceBadge source={source} /> },
  ];
}

function strategyName(strategy: Route['strategy']): string {
  return STRATEGIES.find(({ id }) => id === strategy)?.label ?? strategy;
}

function Targets({ route, states }: { readonly route: Route; readonly states: TargetStates }) {
  if (route.targets.length === 0) return <span className="text-ink-3">to the model asked for</span>;
  return (
    <span className="flex min-w-0 gap-3 overflow-hidden">
      {route.targets.map(({ model }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a target may stand twice; its place tells it apart.
        <span key={index} className="inline-flex shrink-0 items-center gap-1">
          <TargetMark states={states} model={model} />
          {model}
        </span>
      ))}
    </span>
  );
}

function RouteCard({ route, states }: { readonly route: Route; readonly states: TargetStates }) {
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
