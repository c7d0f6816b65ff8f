import { useInfiniteQuery } from '@tanstack/react-query';
import { Radio } from 'lucide-react';
import { lazy, Suspense, useCallback, useMemo } from 'react';
import { PageFrame } from '../../app/page-frame.tsx';
import { useShortcuts } from '../../app/shortcuts.ts';
import { type UrlChanges, useUrlState } from '../../app/url-state.ts';
import { type FilterToken, filterValues, toFilterTokens } from '../../filters/filter-text.ts';
import { selectQueryParameters } from '../../filters/query-part.ts';
import { resolveTimeRange, timeRangeQuery } from '../../filters/time-range.ts';
import { Button } from '../../ui/button.tsx';
import { joinClassNames } from '../../ui/class-names.ts';
import { ColumnMenu } from '../../ui/column-menu.tsx';
import { EmptyState } from '../../ui/feedback.tsx';
import { FilterBar } from '../../ui/filter-bar.tsx';
import { QueryResults } from '../../ui/results.tsx';
import { type TableColumn, visibleColumns } from '../../ui/table-columns.ts';
import { TimeRangePicker } from '../../ui/time-range-picker.tsx';
import { ConnectAgent } from './connect-agent.tsx';
import { DECISION_COLUMNS, DecisionCard } from './decision-columns.tsx';
import type { StoredDecision } from './decision-label.ts';
import { DECISION_FIELDS, decisionsQuery } from './relay-data.ts';

const DecisionDrawer = lazy(() =>
  import('./decision-drawer.tsx').then(({ DecisionDrawer: Part }) => ({ default: Part })),
);

/** The event stream has no topic for decisions: a live list asks by itself. */
const PEEK_MS = 2000;
const BESIDE_DRAWER: ReadonlySet<string> = new Set(['time', 'decision', 'what']);
/** Parameters that say how the list is looked at, not what is in it. */
const LOOKS: ReadonlySet<string> = new Set(['open', 'cols', 'live']);

/** What agents asked and were answered: find one, or watch them come. */
export function DecisionsPage() {
  const list = useDecisions();
  const { query, change, live, tokens, rows = [] } = list;
  const open = query.get('open');
  const walk = (step: number) => {
    const next = rows[rows.findIndex(({ id }) => id === open) + step];
    if (next) change({ open: next.id }, 'replace');
  };
  const toggle = () => change({ live: live ? '0' : null }, 'replace');
  useShortcuts([
    { keys: 'l', does: 'Live on or off', run: toggle },
    { keys: 'j', does: 'Next decision', run: () => walk(1) },
    { keys: 'k', does: 'Previous decision', run: () => walk(-1) },
  ]);
  const chosen = visibleColumns(DECISION_COLUMNS, query.get('cols'));
  const drawer = open && (
    <Suspense>
      <DecisionDrawer
        id={open}
        onClose={() => change({ open: null })}
        onPrevious={() => walk(-1)}
        onNext={() => walk(1)}
      />
    </Suspense>
  );
  return (
    <PageFrame
      title="Decisions"
      padded={false}
      actions={<Toolbar list={list} chosen={chosen} onLive={toggle} />}
      beside={drawer}
    >
      <div className="px-4 py-3 md:px-6">
        <FilterBar
          fields={DECISION_FIELDS}
          tokens={tokens}
          onAdd={({ name, value }) => change({ [name]: value })}
          onRemove={(name) => change({ [name]: null })}
          placeholder="Filter by decision, rule, agent, person, text…"
        />
      </div>
      <QueryResults
        list={list}
        what="decisions"
        label="Decisions"
        rowId={({ id }) => id}
        columns={open ? chosen.filter(({ id }) => BESIDE_DRAWER.has(id)) : chosen}
        card={(row) => <DecisionCard row={row} />}
        openId={open}
        onOpen={({ id }) => change({ open: id })}
        empty={<NoDecisions tokens={tokens} onChange={change} />}
      />
    </PageFrame>
  );
}

function Toolbar({
  list: { span, live, change },
  chosen,
  onLive,
}: {
  readonly list: ReturnType<typeof useDecisions>;
  readonly chosen: readonly TableColumn<StoredDecision>[];
  readonly onLive: () => void;
}) {
  return (
    <>
      <TimeRangePicker span={span} onChange={({ range, from, to }) => change({ range, from, to })} />
      <Button
        icon={Radio}
        aria-pressed={live}
        onClick={onLive}
        className={joinClassNames(live && 'border-healthy-line! bg-healthy-tint! text-healthy-ink!')}
      >
        Live
      </Button>
      <span className="max-md:hidden">
        <ColumnMenu
          columns={DECISION_COLUMNS}
          shown={chosen}
          onChange={(cols) => change({ cols }, 'replace')}
        />
      </span>
    </>
  );
}

/** The list a URL asks for; while it is live it is read again every two seconds. */
function useDecisions() {
  const { query, change } = useUrlState();
  const text = selectQueryParameters(query, (name) => !LOOKS.has(name));
  const { span, tokens, filters } = useMemo(() => {
    const asked = new URLSearchParams(text);
    const time = resolveTimeRange(asked, new Date());
    const found = toFilterTokens(asked, DECISION_FIELDS);
    return { span: time, tokens: found, filters: { ...filterValues(found), ...timeRangeQuery(time) } };
  }, [text]);
  const live = span.range !== null && query.get('live') !== '0';
  const answer = useInfiniteQuery({
    ...decisionsQuery(filters),
    // Who has paged down reads; a list of many pages is not read again under them.
    refetchInterval: ({ state }) => (live && (state.data?.pages.length ?? 0) < 2 ? PEEK_MS : false),
  });
  const rows = useMemo(() => answer.data?.pages.flatMap(({ data }) => data), [answer.data]);
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = answer;
  const more = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  return { query, change, span, tokens, live, answer, rows, more };
}

function NoDecisions({
  tokens,
  onChange,
}: {
  readonly tokens: readonly FilterToken[];
  readonly onChange: (changes: UrlChanges) => void;
}) {
  const onWiden = () => onChange({ range: '7d', from: null, to: null });
  if (tokens.length > 0)
    return (
      <EmptyState
        title="No decisions match"
        action={
          <>
            {tokens.map(({ name, value }) => (
              <Button key={name} onClick={() => onChange({ [name]: null })}>
                Remove {name} is {value}
              </Button>
            ))}
            <Button onClick={onWiden}>Widen to 7 days</Button>
          </>
        }
      >
        Nothing in this time has all of these filters.
      </EmptyState>
    );
  return (
    <>
      <EmptyState
        title="No agent has asked in this time"
        action={<Button onClick={onWiden}>Widen to 7 days</Button>}
      >
        Install the hook in Cursor, Claude Code or Codex; start in observe mode, which stops nothing.
      </EmptyState>
      <div className="mx-auto max-w-2xl px-4 pb-10">
        <ConnectAgent />
      </div>
    </>
  );
}
