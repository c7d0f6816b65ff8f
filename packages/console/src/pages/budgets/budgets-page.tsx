import { useQuery } from '@tanstack/react-query';
import { ListPage } from '../../app/list-page.tsx';
import { buildSummaryQuery, DAY_MS } from '../../data/analytics-queries.ts';
import { buildListQuery, useListRows } from '../../data/lists.ts';
import { useRefetchOnEvent } from '../../data/use-refetch-on-event.ts';
import { useEventStreamState } from '../../data/use-server-events.ts';
import { formatMoney } from '../../format/amounts.ts';
import { BUDGET_COLUMNS, BudgetCard } from './budget-columns.tsx';
import { BudgetDrawer } from './budget-drawer.tsx';
import { BUDGET_RESOURCE_KIND, type Budget } from './budget-form.ts';
import { budgetsText } from './text.ts';

const BESIDE_DRAWER: ReadonlySet<string> = new Set(['name', 'spent', 'forecast']);

/** Lists the budgets of the organization with their spending and forecast. */
export function BudgetsPage() {
  useRefetchOnEvent('budgets', ['budgets']);
  useRefetchOnEvent('config', ['budgets']);
  const refetch = useEventStreamState() === 'live' ? 15_000 : 10_000;
  const list = useListRows(buildListQuery<Budget>('budgets', BUDGET_RESOURCE_KIND.path), refetch);
  return (
    <ListPage
      title={budgetsText.page.title}
      one={budgetsText.page.one}
      list={list}
      columns={BUDGET_COLUMNS}
      besideDrawer={BESIDE_DRAWER}
      card={(budget) => <BudgetCard budget={budget} />}
      drawer={(id, onOpen, onClose) => <BudgetDrawer id={id} onOpen={onOpen} onClose={onClose} />}
      empty={{
        title: budgetsText.page.empty.title,
        text: (
          <>
            <RecentSpending /> {budgetsText.page.empty.text}
          </>
        ),
      }}
    />
  );
}

/** Shows the spending of the last 30 days, so that users can choose a limit. */
function RecentSpending() {
  const { data } = useQuery(buildSummaryQuery({}, 30 * DAY_MS));
  return data ? budgetsText.page.spent(formatMoney(data.cost_nano_usd)) : null;
}
