import type { BreakerResource as Breaker } from '@floe/contract/api/breakers';
import { useQuery } from '@tanstack/react-query';
import { PageFrame } from '../../app/page-frame.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { buildListQuery, useListRows } from '../../data/lists.ts';
import { providerLookupQuery } from '../../data/lookup-queries.ts';
import { useRefetchOnEvent } from '../../data/use-refetch-on-event.ts';
import { useEventStreamState } from '../../data/use-server-events.ts';
import { formatCount } from '../../format/amounts.ts';
import { formatCountWithNoun } from '../../format/words.ts';
import { joinClassNames } from '../../ui/class-names.ts';
import { EmptyState, Notice } from '../../ui/feedback.tsx';
import { QueryResults } from '../../ui/query-results.tsx';
import { STATUS_STYLES, StatusIcon } from '../../ui/status.tsx';
import { parseSort, sortRows, type TableColumn } from '../../ui/table-columns.ts';
import { SegmentedControl } from '../../ui/tabs.tsx';
import { BreakerDrawer } from './breaker-drawer.tsx';
import {
  createClosedBreaker,
  describeNextBreakerStep,
  getBreakerStateDisplay,
} from './breaker-state-display.ts';
import { ForceBreakerDialog, useBreakerOptions } from './force-breaker-dialog.tsx';
import { breakersText } from './text.ts';

const BESIDE_DRAWER: ReadonlySet<string> = new Set(['target', 'state', 'next']);

/**
 * Lists open and recovering breakers and forced states, with their reason and next step. The user can
 * also list all breakers.
 */
export function BreakersPage() {
  const { query, change } = useUrlState();
  useRefetchOnEvent('breakers', ['breakers']);
  const refetch = useEventStreamState() === 'live' ? 5_000 : 3_000;
  const list = useListRows(buildListQuery<Breaker>('breakers', 'api/management/breakers'), refetch);
  // The API also lists closed breakers that have recent failures.
  const active = list.rows?.filter((breaker) => getBreakerStateDisplay(breaker).state !== 'healthy');
  const open = query.get('open');
  const sort = parseSort(query.get('sort'));
  const isAll = query.get('all') === '1';
  // A breaker that is not listed is closed only if the whole list is known.
  const targets = useBreakerOptions(isAll && !list.answer.hasNextPage);
  const listed = new Set(list.rows?.map(({ id }) => id));
  const closed = targets.flatMap(({ value }) =>
    listed.has(value) ? [] : (createClosedBreaker(value) ?? []),
  );
  const blocked = list.rows?.filter(({ state, forced }) => state === 'open' && !forced) ?? [];
  return (
    <PageFrame
      title={breakersText.page.title}
      padded={false}
      actions={<ForceBreakerDialog />}
      beside={
        open && (
          <BreakerDrawer
            id={open}
            breaker={list.rows?.find(({ id }) => id === open)}
            isListComplete={list.answer.isSuccess && !list.answer.hasNextPage}
            onClose={() => change({ open: null })}
          />
        )
      }
    >
      <p className="px-4 pb-3 text-ui text-ink-2 md:px-6">{breakersText.page.intro}</p>
      {blocked.length > 0 && (
        <div className="px-4 pb-3 md:px-6">
          <Notice state="failing">
            {blocked.length === 1 ? breakersText.page.blockedOne : breakersText.page.blocked(blocked.length)}
            {breakersText.page.blockedEffect}
          </Notice>
        </div>
      )}
      <BreakerFilter count={active?.length} isAll={isAll} onChange={(all) => change({ all }, 'replace')} />
      <QueryResults
        list={isAll ? list : { ...list, rows: active }}
        what={breakersText.page.what}
        label={breakersText.page.title}
        shown={sortRows(isAll ? [...(list.rows ?? []), ...closed] : (active ?? []), COLUMNS, sort)}
        rowId={({ id }) => id}
        columns={open ? COLUMNS.filter(({ id }) => BESIDE_DRAWER.has(id)) : COLUMNS}
        card={(breaker) => <BreakerCard breaker={breaker} />}
        onOpen={({ id }) => change({ open: id })}
        openId={open}
        sort={sort}
        onSort={(next) => change({ sort: next }, 'replace')}
        empty={<NoOpenBreakers />}
      />
    </PageFrame>
  );
}

/** Selects whether to show all breakers or only those that are not closed. */
function BreakerFilter({
  count,
  isAll,
  onChange,
}: {
  readonly count: number | undefined;
  readonly isAll: boolean;
  readonly onChange: (all: string | null) => void;
}) {
  return (
    <div className="px-4 pb-3 md:px-6">
      <SegmentedControl
        label={breakersText.page.filter}
        options={[
          {
            id: 'trouble',
            label:
              count === undefined ? breakersText.page.notClosed : breakersText.page.notClosedCount(count),
          },
          { id: 'all', label: breakersText.page.all },
        ]}
        value={isAll ? 'all' : 'trouble'}
        onChange={(next) => onChange(next === 'all' ? '1' : null)}
      />
    </div>
  );
}

function NoOpenBreakers() {
  const { data } = useQuery(providerLookupQuery);
  const enabled = data?.data.filter((provider) => provider.enabled).length;
  if (enabled === 0)
    return (
      <EmptyState title={breakersText.page.empty.noProvider}>
        {breakersText.page.empty.noProviderText}
      </EmptyState>
    );
  return (
    <EmptyState
      title={
        enabled === undefined
          ? breakersText.page.empty.title
          : breakersText.page.empty.titleProviders(
              formatCountWithNoun(enabled, breakersText.page.empty.provider),
            )
      }
    >
      {breakersText.page.empty.text}
    </EmptyState>
  );
}

const COLUMNS: readonly TableColumn<Breaker>[] = [
  {
    id: 'target',
    label: breakersText.columns.target,
    width: 'minmax(9rem, 1fr)',
    value: ({ id }) => id,
    cell: (breaker) => <Target breaker={breaker} />,
  },
  {
    id: 'credential',
    label: breakersText.columns.credential,
    width: 'minmax(5rem, 7rem)',
    value: ({ credential }) => credential,
    cell: ({ credential }) => (credential === 'none' ? breakersText.columns.none : credential),
  },
  {
    id: 'state',
    label: breakersText.columns.state,
    width: '9.5rem',
    value: (breaker) => getBreakerStateDisplay(breaker).word,
    cell: (breaker) => <BreakerState breaker={breaker} />,
  },
  {
    id: 'why',
    label: breakersText.columns.reason,
    width: 'minmax(8rem, 2fr)',
    cell: ({ forced, reason }) => <span title={forced?.reason ?? reason}>{forced?.reason ?? reason}</span>,
  },
  {
    id: 'next',
    label: breakersText.columns.next,
    width: 'minmax(7rem, 15rem)',
    cell: (breaker) => (
      <span title={describeNextBreakerStep(breaker)}>{describeNextBreakerStep(breaker)}</span>
    ),
  },
  {
    id: 'calls',
    label: breakersText.columns.calls,
    width: '8rem',
    yields: 1,
    align: 'end',
    cell: ({ calls }) => <Calls calls={calls} />,
  },
];

function Target({ breaker: { provider, model } }: { readonly breaker: Breaker }) {
  return (
    <span className="truncate">
      <span className="text-ink-3">{provider}/</span>
      {model}
    </span>
  );
}

function Calls({ calls }: { readonly calls: Breaker['calls'] }) {
  const all = calls.ok + calls.failed;
  if (all === 0) return <span className="text-ink-3">{breakersText.columns.none}</span>;
  return breakersText.columns.failedOf(formatCount(calls.failed), formatCount(all));
}

function BreakerState({ breaker }: { readonly breaker: Breaker }) {
  const { state, word } = getBreakerStateDisplay(breaker);
  return (
    <span className="flex items-center gap-2">
      <StatusIcon state={state} />
      <span className={joinClassNames('font-medium', STATUS_STYLES[state].ink)}>{word}</span>
    </span>
  );
}

function BreakerCard({ breaker }: { readonly breaker: Breaker }) {
  return (
    <span className="grid gap-0.5">
      <span className="truncate font-medium">
        {breaker.provider}/{breaker.model}{' '}
        {breaker.credential !== 'none' && (
          <span className="font-normal text-ink-3">{breaker.credential}</span>
        )}
      </span>
      <span className="flex items-center gap-2 text-small text-ink-2">
        <BreakerState breaker={breaker} /> {describeNextBreakerStep(breaker)}
      </span>
    </span>
  );
}
