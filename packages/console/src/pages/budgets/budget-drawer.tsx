import { OrgLink } from '../../app/org-link.tsx';
import { formatMoney } from '../../format/amounts.ts';
import { browserZone, formatFullTime } from '../../format/times.ts';
import { capitalize } from '../../format/words.ts';
import { DetailList } from '../../ui/cards.tsx';
import { type DrawerParts, ResourceDrawer } from '../../ui/resource-drawer.tsx';
import { describeSubject } from '../limits/subject.ts';
import { BudgetForecast, BudgetSpendMeter } from './budget-columns.tsx';
import { BudgetFields } from './budget-fields.tsx';
import { BUDGETS, type Budget, type BudgetForm, describeForecast, EMPTY_BUDGET } from './budget-form.ts';
import { BudgetSpending } from './budget-spending.tsx';
import { text } from './text.ts';

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
  lineOf: (budget) => {
    const subject = capitalize(describeSubject(budget));
    return budget.model ? text.drawer.subject(subject, budget.model) : subject;
  },
  standing: (budget) => <CurrentUsage budget={budget} />,
  fields: (form, set) => <BudgetFields form={form} onChange={set} />,
  empty: EMPTY_BUDGET,
  created: ({ name }) => text.drawer.created(name),
  saved: ({ name }) => text.drawer.saved(name),
  refetchMs: 15_000,
};

function CurrentUsage({ budget }: { readonly budget: Budget }) {
  const { state } = budget;
  const rejected = { status: '402', range: '7d', ...(budget.key ? { key: budget.key } : {}) };
  return (
    <section aria-label={text.drawer.usage} className="grid gap-3">
      <DetailList
        items={[
          [text.drawer.spent, <BudgetSpendMeter key="spent" budget={budget} />],
          [
            text.drawer.reserved,
            state && state.reserved_nano_usd > 0
              ? text.drawer.reservedAmount(formatMoney(state.reserved_nano_usd))
              : null,
          ],
          [text.drawer.remaining, state && formatMoney(Math.max(0, state.remaining_nano_usd))],
          [text.drawer.forecast, <BudgetForecast key="forecast" budget={budget} />],
          [
            text.drawer.resets,
            state?.resets_at ? formatFullTime(new Date(state.resets_at), browserZone()) : null,
          ],
        ]}
      />
      <p className="text-small text-ink-2">{describeForecast(budget).explanation}</p>
      <BudgetSpending budget={budget} />
      <OrgLink to="/requests" search={rejected} className="text-ui text-accent-ink underlined">
        {text.drawer.rejectedRequests}
      </OrgLink>
    </section>
  );
}
