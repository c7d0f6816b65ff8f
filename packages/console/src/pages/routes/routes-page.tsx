import { useNavigate } from '@tanstack/react-router';
import { ArrowDown, ArrowUp, Plus } from 'lucide-react';
import { PageFrame } from '../../app/page-frame.tsx';
import { useShortcuts } from '../../app/shortcuts.ts';
import { useOrgId } from '../../app/url-state.ts';
import { send } from '../../data/api-client.ts';
import { useChange } from '../../data/change.ts';
import { useLiveQuery } from '../../data/events.ts';
import { listQuery, useRows } from '../../data/lists.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/feedback.tsx';
import { Results } from '../../ui/results.tsx';
import { SourceBadge } from '../../ui/source-badge.tsx';
import { StateIcon } from '../../ui/state.tsx';
import type { Column } from '../../ui/table-columns.ts';
import { type Route, STRATEGIES } from './route-form.ts';
import { TargetMark, type TargetStates, useTargetStates } from './target-states.tsx';

/** Where requests for a model go, in the order in which routes are looked at. */
export function RoutesPage() {
  const navigate = useNavigate();
  const org = useOrgId();
  useLiveQuery('config', ['routes']);
  const list = useRows(listQuery<Route>('routes', 'api/management/routes'));
  const states = useTargetStates();
  const open = (id: string) => void navigate({ to: `/o/${org}/management/routes/${encodeURIComponent(id)}` });
  const create = () => open('new');
  useShortcuts([{ keys: 'c', does: 'New route', run: create }]);
  const move = useChange(
    ({ id, position }: { readonly id: string; readonly position: number }) =>
      send<Route>('PATCH', `api/management/routes/${encodeURIComponent(id)}`, { position }),
    { touches: [['routes']] },
  );
  const add = (
    <Button look="primary" icon={Plus} needs="management" onClick={create}>
      New route
    </Button>
  );
  const own = list.rows?.filter(({ source }) => source.kind === 'console') ?? [];
  return (
    <PageFrame title="Routes" padded={false} actions={add}>
      {list.rows && list.rows.length > 0 && (
        <p className="px-4 pb-3 text-ui text-ink-2 md:px-6">
          The first route that matches the model of a request takes it. Routes of the file come first.
        </p>
      )}
      {move.error && <p className="px-4 pb-3 text-ui text-failing-ink md:px-6">{move.error.message}</p>}
      <Results
        list={list}
        what="routes"
        label="Routes"
        rowId={({ id }) => id}
        columns={columns(states, own, (id, position) => move.run({ id, position }))}
        card={(route) => <RouteCard route={route} states={states} />}
        onOpen={({ id }) => open(id)}
        empty={
          <EmptyState title="No routes. Every model goes straight to its provider." action={add}>
            A route adds failover, weights, or a name of your own such as smart.
          </EmptyState>
        }
      />
    </PageFrame>
  );
}

function columns(
  states: TargetStates,
  own: readonly Route[],
  onMove: (id: string, position: number) => void,
): readonly Column<Route>[] {
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
              <StateIcon state="paused" size={14} /> off
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
    {
      id: 'order',
      label: 'Order',
      width: '4.5rem',
      cell: ({ id, position, source }) =>
        source.kind === 'file' ? (
          <span className="text-ink-3">–</span>
        ) : (
          <span className="flex">
            <IconButton
              icon={ArrowUp}
              label={`Move ${id} up`}
              needs="management"
              disabled={own[0]?.id === id}
              onClick={() => onMove(id, position - 1)}
            />
            <IconButton
              icon={ArrowDown}
              label={`Move ${id} down`}
              needs="management"
              disabled={own.at(-1)?.id === id}
              onClick={() => onMove(id, position + 1)}
            />
          </span>
        ),
    },
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
