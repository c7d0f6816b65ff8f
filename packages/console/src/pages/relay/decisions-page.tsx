import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { Radio } from 'lucide-react';
import { lazy, Suspense, useCallback, useEffect, useEffectEvent, useMemo, useRef } from 'react';
import { PageFrame } from '../../app/page-frame.tsx';
import { useShortcuts } from '../../app/shortcuts.ts';
import { type UrlParameterChanges, useUrlState } from '../../app/url-state.ts';
import { getCurrentTime } from '../../data/server-clock.ts';
import { trimToFirstPage } from '../../data/trim-to-first-page.ts';
import { useLoadMore } from '../../data/use-load-more.ts';
import { type FilterToken, toFilterQuery, toFilterTokens } from '../../filters/filter-text.ts';
import { selectQueryParameters } from '../../filters/select-query-parameters.ts';
import { resolveTimeRange, toTimeRangeParameters } from '../../filters/time-range.ts';
import { Button } from '../../ui/button.tsx';
import { joinClassNames } from '../../ui/class-names.ts';
import { ColumnMenu } from '../../ui/column-menu.tsx';
import { EmptyState } from '../../ui/feedback.tsx';
import { FilterBar } from '../../ui/filter-bar.tsx';
import { QueryResults } from '../../ui/query-results.tsx';
import { listVisibleColumns, type TableColumn } from '../../ui/table-columns.ts';
import { TimeRangePicker } from '../../ui/time-range-picker.tsx';
import { ConnectAgentInstructions } from './connect-agent-instructions.tsx';
import { DECISION_COLUMNS, DecisionCard } from './decision-columns.tsx';
import type { StoredDecision } from './decision-display.ts';
import { buildDecisionsQuery, DECISION_FILTER_FIELDS } from './relay-data.ts';
import { relayText } from './text.ts';

const DecisionDrawer = lazy(() =>
  import('./decision-drawer.tsx').then(({ DecisionDrawer: Part }) => ({ default: Part })),
);

/** Poll interval of the live list in milliseconds. The event stream does not report decisions. */
const PEEK_MS = 2000;
const BESIDE_DRAWER: ReadonlySet<string> = new Set(['time', 'decision', 'what']);
/** URL parameters that change the display but do not filter the list. */
const LOOKS: ReadonlySet<string> = new Set(['open', 'cols', 'live']);

/** Lists the decisions of the relay, with filters and live updates. */
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
    { keys: 'l', does: relayText.decisions.toggleLive, run: toggle },
    { keys: 'j', does: relayText.decisions.next, run: () => walk(1) },
    { keys: 'k', does: relayText.decisions.previous, run: () => walk(-1) },
  ]);
  const chosen = listVisibleColumns(DECISION_COLUMNS, query.get('cols'));
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
      title={relayText.decisions.title}
      padded={false}
      actions={<Toolbar list={list} chosen={chosen} onLive={toggle} />}
      beside={drawer}
    >
      <div className="px-4 py-3 md:px-6">
        <FilterBar
          fields={DECISION_FILTER_FIELDS}
          tokens={tokens}
          onAdd={({ name, value }) => change({ [name]: value })}
          onRemove={(name) => change({ [name]: null })}
          placeholder={relayText.decisions.filterPlaceholder}
        />
      </div>
      <QueryResults
        list={list}
        what={relayText.decisions.list}
        label={relayText.decisions.title}
        rowId={({ id }) => id}
        columns={open ? chosen.filter(({ id }) => BESIDE_DRAWER.has(id)) : chosen}
        card={(row) => <DecisionCard row={row} />}
        openId={open}
        onOpen={({ id }) => change({ open: id })}
        onShown={list.onShown}
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
        {relayText.decisions.live}
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

/** Returns the decisions that match the URL. A live list is polled every two seconds. */
function useDecisions() {
  const { query, change } = useUrlState();
  const filterQuery = selectQueryParameters(query, (name) => !LOOKS.has(name));
  const { span, tokens, filters } = useMemo(() => {
    const asked = new URLSearchParams(filterQuery);
    const time = resolveTimeRange(asked, getCurrentTime());
    const found = toFilterTokens(asked, DECISION_FILTER_FIELDS);
    return {
      span: time,
      tokens: found,
      filters: { ...toFilterQuery(found), ...toTimeRangeParameters(time) },
    };
  }, [filterQuery]);
  const live = span.range !== null && query.get('live') !== '0';
  const list = buildDecisionsQuery(filters);
  const answer = useInfiniteQuery({
    ...list,
    // A list of several pages is not polled, so that rows do not move while the user reads. At its top, it
    // becomes a list of one page again.
    refetchInterval: ({ state }) => (live && (state.data?.pages.length ?? 0) < 2 ? PEEK_MS : false),
  });
  const rows = useMemo(() => answer.data?.pages.flatMap(({ data }) => data), [answer.data]);
  const end = useLoadMore(list.queryKey, answer);
  const client = useQueryClient();
  const isAtTop = useRef(true);
  const resumeAtTop = useEffectEvent(async () => {
    const { queryKey } = list;
    const pages = client.getQueryData(queryKey)?.pages.length ?? 0;
    if (!live || !isAtTop.current || (pages < 2 && !answer.isFetchingNextPage)) return;
    // Without this line, a page that is still loading would be added afterwards, and polling would stop again.
    await client.cancelQueries({ queryKey, exact: true });
    client.setQueryData(queryKey, (all) => all && trimToFirstPage(all));
  });
  const onShown = useCallback((first: number) => {
    const wasAtTop = isAtTop.current;
    isAtTop.current = first === 0;
    if (!wasAtTop) void resumeAtTop();
  }, []);
  useEffect(() => {
    if (live) void resumeAtTop();
  }, [live]);
  return { query, change, span, tokens, live, answer, rows, onShown, ...end };
}

function NoDecisions({
  tokens,
  onChange,
}: {
  readonly tokens: readonly FilterToken[];
  readonly onChange: (changes: UrlParameterChanges) => void;
}) {
  const onWiden = () => onChange({ range: '7d', from: null, to: null });
  if (tokens.length > 0)
    return (
      <EmptyState
        title={relayText.decisions.noMatchTitle}
        action={
          <>
            {tokens.map(({ name }) => (
              <Button key={name} onClick={() => onChange({ [name]: null })}>
                {relayText.decisions.removeFilter(name)}
              </Button>
            ))}
            <Button onClick={onWiden}>{relayText.decisions.widen}</Button>
          </>
        }
      >
        {relayText.decisions.noMatch}
      </EmptyState>
    );
  return (
    <>
      <EmptyState
        title={relayText.decisions.emptyTitle}
        action={<Button onClick={onWiden}>{relayText.decisions.widen}</Button>}
      >
        {relayText.decisions.empty}
      </EmptyState>
      <div className="mx-auto max-w-2xl px-4 pb-10">
        <ConnectAgentInstructions />
      </div>
    </>
  );
}
