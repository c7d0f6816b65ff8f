import { OrgLink } from '../../app/org-link.tsx';
import { toExactFilterValue } from '../../filters/filter-value.ts';
import { formatMoney } from '../../format/amounts.ts';
import { formatFullDateTime, getBrowserTimeZone } from '../../format/times.ts';
import { capitalize } from '../../format/words.ts';
import { DetailList } from '../../ui/cards.tsx';
import { ResourceDrawer, type ResourceDrawerConfig } from '../../ui/resource-drawer.tsx';
import { describeLimitSubject } from '../limits/limit-subject.ts';
import { BudgetForecast, BudgetSpendMeter } from './budget-columns.tsx';
import { BudgetFields } from './budget-fields.tsx';
import {
  BUDGET_RESOURCE_KIND,
  type Budget,
  type BudgetFormValues,
  describeForecast,
  NEW_BUDGET_FORM,
} from './budget-form.ts';
import { BudgetSpending } from './budget-spending.tsx';
import { budgetsText } from './text.ts';

/** Renders the drawer that creates or edits a budget, next to the list. */
export function BudgetDrawer(props: {
  readonly id: string;
  readonly onOpen: (id: string) => void;
  readonly onClose: () => void;
}) {
  return <ResourceDrawer kind={BUDGET_RESOURCE_KIND} parts={PARTS} {...props} />;
}

const PARTS: ResourceDrawerConfig<Budget, BudgetFormValues> = {
  titleOf: ({ name }) => name,
  lineOf: (budget) => {
    const subject = capitalize(describeLimitSubject(budget));
    return budget.model ? budgetsText.drawer.subject(subject, budget.model) : subject;
  },
  standing: (budget) => <CurrentUsage budget={budget} />,
  fields: (form, set) => <BudgetFields form={form} onChange={set} />,
  empty: NEW_BUDGET_FORM,
  created: ({ name }) => budgetsText.drawer.created(name),
  saved: ({ name }) => budgetsText.drawer.saved(name),
  refetchMs: 15_000,
};

function CurrentUsage({ budget }: { readonly budget: Budget }) {
  const { state } = budget;
  const rejected = {
    status: '402',
    range: '7d',
    ...(budget.key ? { key: toExactFilterValue(budget.key) } : {}),
  };
  return (
    <section aria-label={budgetsText.drawer.usage} className="grid gap-3">
      <DetailList
        items={[
          [budgetsText.drawer.spent, <BudgetSpendMeter key="spent" budget={budget} />],
          [
            budgetsText.drawer.reserved,
            state && state.reserved_nano_usd > 0
              ? budgetsText.drawer.reservedAmount(formatMoney(state.reserved_nano_usd))
              : null,
          ],
          [budgetsText.drawer.remaining, state && formatMoney(Math.max(0, state.remaining_nano_usd))],
          [budgetsText.drawer.forecast, <BudgetForecast key="forecast" budget={budget} />],
          [
            budgetsText.drawer.resets,
            state?.resets_at ? formatFullDateTime(new Date(state.resets_at), getBrowserTimeZone()) : null,
          ],
        ]}
      />
      <p className="text-small text-ink-2">{describeForecast(budget).explanation}</p>
      <BudgetSpending budget={budget} />
      <OrgLink to="/requests" search={rejected} className="text-ui text-accent-ink underlined">
        {budgetsText.drawer.rejectedRequests}
      </OrgLink>
    </section>
  );
}
