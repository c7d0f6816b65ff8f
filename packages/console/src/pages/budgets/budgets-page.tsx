import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { PageFrame } from '../../app/page-frame.tsx';
import { useShortcuts } from '../../app/shortcuts.ts';
import { useUrlState } from '../../app/url-state.ts';
import { get } from '../../data/api-client.ts';
import { useConnection, useLiveQuery } from '../../data/events.ts';
import { listQuery, useRows } from '../../data/lists.ts';
import { money } from '../../format/amounts.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/feedback.tsx';
import { Results } from '../../ui/results.tsx';
import { readSort, sorted } from '../../ui/table-columns.ts';
import { BUDGET_COLUMNS, BudgetCard } from './budget-columns.tsx';
import { BudgetDrawer } from './budget-drawer.tsx';
import type { Budget } from './budget-form.ts';

const BESIDE_DRAWER: ReadonlySet<string> = new Set(['name', 'spent', 'forecast']);

/** What may be spent, what is, and where it leads. */
export function BudgetsPage() {
  const { query, change } = useUrlState();
  useLiveQuery('budgets', ['budgets']);
  useLiveQuery('config', ['budgets']);
  const refetch = useConnection() === 'live' ? 15_000 : 10_000;
  const list = useRows(listQuery<Budget>('budgets', 'api/management/budgets'), refetch);
  const open = query.get('open');
  const sort = readSort(query.get('sort'));
  const create = () => change({ open: 'new' });
  useShortcuts([{ keys: 'c', does: 'New budget', run: create }]);
  const add = (
    <Button look="primary" icon={Plus} needs="management" onClick={create}>
      Add budget
    </Button>
  );
  const drawer = open && (
    <BudgetDrawer id={open} onOpen={(id) => change({ open: id })} onClose={() => change({ open: null })} />
  );
  return (
    <PageFrame title="Budgets" padded={false} actions={add} beside={drawer}>
      <Results
        list={list}
        what="budgets"
        label="Budgets"
        shown={sorted(list.rows ?? [], BUDGET_COLUMNS, sort)}
        rowId={({ id }) => id}
        columns={open ? BUDGET_COLUMNS.filter(({ id }) => BESIDE_DRAWER.has(id)) : BUDGET_COLUMNS}
        card={(budget) => <BudgetCard budget={budget} />}
        onOpen={({ id }) => change({ open: id })}
        openId={open}
        sort={sort}
        onSort={(next) => change({ sort: next }, 'replace')}
        empty={
          <EmptyState title="No budgets" action={add}>
            <SpentLately /> A budget refuses or tells when a sum is reached.
          </EmptyState>
        }
      />
    </PageFrame>
  );
}

/** Nobody sets a budget without knowing what is spent. */
function SpentLately() {
  const { data } = useQuery({
    queryKey: ['analytics', 'summary', '30d'],
    queryFn: ({ signal }) =>
      get<{ readonly cost_nano_usd: number }>(
        'api/analytics/summary',
        { from: new Date(Date.now() - 30 * 86_400_000).toISOString() },
        signal,
      ),
  });
  return data ? `Last 30 days: ${money(data.cost_nano_usd)}.` : null;
}
