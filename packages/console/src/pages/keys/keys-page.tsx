import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useMemo, useState } from 'react';
import { PageFrame } from '../../app/page-frame.tsx';
import { useShortcuts } from '../../app/shortcuts.ts';
import { type UrlParameterChanges, useUrlState } from '../../app/url-state.ts';
import { useResourceNavigate } from '../../app/use-org-navigate.ts';
import { useRefetchOnEvent } from '../../data/use-refetch-on-event.ts';
import { Button } from '../../ui/button.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { EmptyState, ErrorState, SkeletonRows } from '../../ui/feedback.tsx';
import { useNow } from '../../ui/relative-time-text.tsx';
import { parseSort, sortRows } from '../../ui/table-columns.ts';
import { SegmentedControl } from '../../ui/tabs.tsx';
import { Switch } from '../../ui/toggles.tsx';
import { UrlParameterInput } from '../../ui/url-parameter-input.tsx';
import { buildKeyColumns, KeyCard } from './key-columns.tsx';
import {
  type KeyResource,
  keyCostsQuery,
  keyRevokersQuery,
  keysQuery,
  limitsAndBudgetsQuery,
  UNKNOWN_KEY_COSTS,
} from './key-data.ts';
import { hasLimitOrBudget } from './key-limits.ts';
import { isConsoleKey, KEY_FILTERS, type KeyFilter, matchesKeyFilter, parseKeyFilter } from './key-status.ts';
import { NewKeyDialog } from './new-key-dialog.tsx';
import { keysText } from './text.ts';

/**
 * Lists the keys of the organization. Filters show keys that expire soon, are unused, or have no limit or
 * budget.
 */
export function KeysPage() {
  const [creating, setCreating] = useState(false);
  useShortcuts([{ keys: 'c', does: keysText.page.create, run: () => setCreating(true), needs: 'own_keys' }]);
  const add = (
    <Button look="primary" icon={Plus} needs="own_keys" onClick={() => setCreating(true)}>
      {keysText.page.create}
    </Button>
  );
  return (
    <PageFrame title={keysText.page.title} padded={false} actions={add}>
      <KeyList onNew={() => setCreating(true)} />
      {creating && <NewKeyDialog onClose={() => setCreating(false)} />}
    </PageFrame>
  );
}

function KeyList({ onNew }: { readonly onNew: () => void }) {
  const { query, change } = useUrlState();
  const { keys, found, consoles, error, refetch, missing } = useFoundKeys(query);
  const { costOf, columns, now } = useKeyColumns(parseKeyFilter(query.get('show')));
  const open = useResourceNavigate('/management/keys');
  if (error && !keys)
    return <ErrorState what={keysText.page.loadFailed} error={error} onRetry={() => void refetch()} />;
  if (!keys) return <SkeletonRows rows={6} />;
  const sort = parseSort(query.get('sort'));
  return (
    <>
      <KeyFilters query={query} change={change} consoles={consoles} />
      {missing?.error ? (
        <ErrorState
          what={keysText.page.rulesFailed}
          error={missing.error}
          onRetry={() => void missing.refetch()}
        />
      ) : missing ? (
        <SkeletonRows rows={6} />
      ) : found.length === 0 ? (
        <NoKeys any={keys.length > 0} onAll={() => change({ show: 'all', q: null })} onNew={onNew} />
      ) : (
        <DataTable
          label={keysText.page.title}
          rows={sortRows(found, columns, sort)}
          rowId={({ id }) => id}
          columns={columns}
          card={(row) => <KeyCard row={row} cost={costOf(row.id)} now={now} />}
          onOpen={({ id }) => open(id)}
          sort={sort}
          onSort={(next) => change({ sort: next })}
          total={found.length}
        />
      )}
    </>
  );
}

/**
 * Returns the keys that match the URL. Includes playground keys only with `console=shown`. `missing` is the query
 * without whose data the filter cannot select keys. It is null under the other filters: a query that is not enabled
 * still has the error that it had on another page.
 */
function useFoundKeys(query: URLSearchParams) {
  const { data: keys, error, refetch } = useQuery(keysQuery);
  useRefetchOnEvent('config', keysQuery.queryKey);
  const now = useNow();
  const shown = parseKeyFilter(query.get('show'));
  const typed = query.get('q') ?? '';
  const rules = useQuery({ ...limitsAndBudgetsQuery, enabled: shown === 'unbounded' });
  const fitting = (keys ?? []).filter(
    (key) =>
      matchesKeyFilter(key, shown, now, rules.data ? hasLimitOrBudget(key, rules.data) : true) &&
      matches(key, typed),
  );
  const ofPeople = fitting.filter((key) => !isConsoleKey(key));
  const found = query.get('console') === 'shown' ? fitting : ofPeople;
  const missing = shown === 'unbounded' && !rules.data ? rules : null;
  return { keys, found, consoles: fitting.length - ofPeople.length, error, refetch, missing };
}

function useKeyColumns(shown: KeyFilter) {
  const now = useNow();
  const costOf = useQuery(keyCostsQuery).data ?? UNKNOWN_KEY_COSTS;
  const revokers = useQuery({ ...keyRevokersQuery, enabled: shown === 'ended' || shown === 'all' }).data;
  const columns = useMemo(() => buildKeyColumns(costOf, revokers ?? new Map(), now), [costOf, revokers, now]);
  return { costOf, columns, now };
}

function KeyFilters({
  query,
  change,
  consoles,
}: {
  readonly query: URLSearchParams;
  readonly change: (changes: UrlParameterChanges, how?: 'push' | 'replace') => void;
  /** The number of playground keys. */
  readonly consoles: number;
}) {
  const isAll = query.get('console') === 'shown';
  return (
    <div className="flex flex-wrap items-center gap-3 px-4 pb-3 md:px-6">
      <div className="max-w-full overflow-x-auto">
        <SegmentedControl
          label={keysText.page.filters}
          options={KEY_FILTERS}
          value={parseKeyFilter(query.get('show'))}
          onChange={(id) => change({ show: id === 'active' ? null : id })}
        />
      </div>
      <UrlParameterInput
        name="q"
        data-filter
        aria-label={keysText.page.search}
        placeholder={keysText.page.searchPlaceholder}
        className="max-w-72"
      />
      {(consoles > 0 || isAll) && (
        <Switch
          label={keysText.page.consoleKeys(consoles)}
          checked={isAll}
          onChange={(on) => change({ console: on ? 'shown' : null }, 'replace')}
        />
      )}
    </div>
  );
}

function NoKeys({
  any,
  onAll,
  onNew,
}: {
  readonly any: boolean;
  readonly onAll: () => void;
  readonly onNew: () => void;
}) {
  if (any)
    return (
      <EmptyState
        title={keysText.page.noMatch.title}
        action={<Button onClick={onAll}>{keysText.page.noMatch.action}</Button>}
      >
        {keysText.page.noMatch.text}
      </EmptyState>
    );
  return (
    <EmptyState
      title={keysText.page.empty.title}
      action={
        <Button look="primary" icon={Plus} needs="own_keys" onClick={onNew}>
          {keysText.page.create}
        </Button>
      }
    >
      {keysText.page.empty.text}
    </EmptyState>
  );
}

function matches({ name, last4, owner, team, id }: KeyResource, typed: string): boolean {
  const wanted = typed.trim().toLowerCase();
  return [name, last4, owner ?? '', team ?? '', id].some((value) => value.toLowerCase().includes(wanted));
}
