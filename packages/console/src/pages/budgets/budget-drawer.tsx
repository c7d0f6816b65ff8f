import { OrgLink } from '../../app/org-link.tsx';
import { formatMoney } from '../../format/amounts.ts';
import { browserZone, formatFullTime } from '../../format/times.ts';
import { capitalize } from '../../format/words.ts';
import { DetailList } from '../../ui/cards.tsx';
import { type DrawerParts, ResourceDrawer } from '../../ui/resource-drawer.tsx';
import { subjectText } from '../limits/subject.ts';
import { Forecast, Spent } from './budget-columns.tsx';
import { BudgetFields } from './budget-fields.tsx';
import { BUDGETS, type Budget, type BudgetForm, EMPTY_BUDGET, forecastOf } from './budget-form.ts';
import { BudgetSpending } from './budget-spending.tsx';

/** One budget beside the list, or a new one. */
export function BudgetDrawer(props: {
  readonly id: string;
  readonly onOpen: (id: string) => void;
  readonly onClose: () => void;
}) {
  return <ResourceDrawer kind={BUDGETS} parts={PARTS} {...props} />;
}

const PARTS: DrawerParts<Budget, BudgetForm> = {
  titleOf: ({ name }) => name,
  lineOf: (budget) => `${capitalize(subjectText(budget))}${budget.model ? `, ${budget.model}` : ''}`,
  standing: (budget) => <Standing budget={budget} />,
  fields: (form, set) => <BudgetFields form={form} onChange={set} />,
  empty: EMPTY_BUDGET,
  made: 'The budget counts from now on.',
  refetchMs: 15_000,
};

function Standing({ budget }: { readonly budget: Budget }) {
  const { state } = budget;
  const refused = { status: '402', range: '7d', ...(budget.key ? { key: budget.key } : {}) };
  return (
    <section aria-label="Right now" className="grid gap-3">
      <DetailList
        items={[
          ['Spent', <Spent key="spent" budget={budget} />],
          [
            'Reserved',
            state && state.reserved_nano_usd > 0
              ? `${formatMoney(state.reserved_nano_usd)} by requests under way`
              : null,
          ],
          ['Left', state && formatMoney(Math.max(0, state.remaining_nano_usd))],
          ['Forecast', <Forecast key="forecast" budget={budget} />],
          ['Starts anew', state?.resets_at ? formatFullTime(new Date(state.resets_at), browserZone()) : null],
        ]}
      />
      <p className="text-small text-ink-2">{forecastOf(budget).how}</p>
      <BudgetSpending budget={budget} />
      <OrgLink to="/requests" search={refused} className="text-ui text-accent-ink underlined">
        Requests refused with 402 in 7 days
      </OrgLink>
    </section>
  );
}
