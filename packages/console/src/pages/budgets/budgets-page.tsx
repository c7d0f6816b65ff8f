import { useQuery } from '@tanstack/react-query';
import { ListPage } from '../../app/list-page.tsx';
import { DAY_MS, summaryQuery } from '../../data/charts.ts';
import { useEventStreamState, useLiveQuery } from '../../data/events.ts';
import { listQuery, useRows } from '../../data/lists.ts';
import { formatMoney } from '../../format/amounts.ts';
import { BUDGET_COLUMNS, BudgetCard } from './budget-columns.tsx';
import { BudgetDrawer } from './budget-drawer.tsx';
import { BUDGETS, type Budget } from './budget-form.ts';

const BESIDE_DRAWER: ReadonlySet<string> = new Set(['name', 'spent', 'forecast']);

/** What may be spent, what is, and where it leads. */
export function BudgetsPage() {
  useLiveQuery('budgets', ['budgets']);
  useLiveQuery('config', ['budgets']);
  const refetch = useEventStreamState() === 'live' ? 15_000 : 10_000;
  const list = useRows(listQuery<Budget>('budgets', BUDGETS.path), refetch);
  return (
    <ListPage
      title="Budgets"
      one="budget"
      list={list}
      columns={BUDGET_COLUMNS}
      besideDrawer={BESIDE_DRAWER}
      card={(budget) => <BudgetCard budget={budget} />}
      drawer={(id, onOpen, onClose) => <BudgetDrawer id={id} onOpen={onOpen} onClose={onClose} />}
      empty={{
        title: 'No budgets',
        text: (
          <>
            <SpentLately /> A budget refuses or tells when a sum is reached.
          </>
        ),
      }}
    />
  );
}

/** Nobody sets a budget without knowing what is spent. */
function SpentLately() {
  const { data } = useQuery(summaryQuery({}, 30 * DAY_MS));
  return data ? `Last 30 days: ${formatMoney(data.cost_nano_usd)}.` : null;
}
