import { TriangleAlert } from 'lucide-react';
import { formatMoney } from '../../format/amounts.ts';
import { capitalize } from '../../format/words.ts';
import { joinClassNames } from '../../ui/class-names.ts';
import { Meter } from '../../ui/meter.tsx';
import { RelativeTimeText, useNow } from '../../ui/relative-time-text.tsx';
import { SourceBadge } from '../../ui/source-badge.tsx';
import type { TableColumn } from '../../ui/table-columns.ts';
import { describeLimitSubject } from '../limits/limit-subject.ts';
import { type Budget, describeForecast } from './budget-form.ts';
import { budgetsText } from './text.ts';

const NANO = 1e9;

/** The columns of the budget list. */
export const BUDGET_COLUMNS: readonly TableColumn<Budget>[] = [
  {
    id: 'name',
    label: budgetsText.columns.name,
    width: 'minmax(6rem, 1fr)',
    value: ({ name }) => name,
    cell: ({ name }) => <span className="font-medium">{name}</span>,
  },
  {
    id: 'subject',
    label: budgetsText.columns.subject,
    width: 'minmax(8rem, 14rem)',
    yields: 2,
    value: describeLimitSubject,
    cell: (budget) => (
      <>
        {capitalize(describeLimitSubject(budget))}
        {budget.model && <span className="text-ink-3"> · {budget.model}</span>}
      </>
    ),
  },
  {
    id: 'spent',
    label: budgetsText.columns.spent,
    width: 'minmax(15rem, 18rem)',
    value: ({ state, limit_usd }) => (state ? state.spent_nano_usd / limit_usd : null),
    cell: (budget) => <BudgetSpendMeter budget={budget} />,
  },
  {
    id: 'left',
    label: budgetsText.columns.remaining,
    width: '7rem',
    yields: 3,
    align: 'end',
    value: ({ state }) => state?.remaining_nano_usd ?? null,
    cell: ({ state }) => (state ? formatMoney(Math.max(0, state.remaining_nano_usd)) : budgetsText.none),
  },
  {
    id: 'period',
    label: budgetsText.columns.period,
    width: '5.5rem',
    value: ({ period }) => period,
    cell: ({ period }) => budgetsText.periods[period],
  },
  {
    id: 'mode',
    label: budgetsText.columns.mode,
    width: '7.5rem',
    yields: 1,
    value: ({ mode }) => mode,
    cell: ({ mode }) => budgetsText.modes[mode],
  },
  {
    id: 'forecast',
    label: budgetsText.columns.forecast,
    width: '12rem',
    align: 'end',
    cell: (budget) => <BudgetForecast budget={budget} />,
  },
  {
    id: 'resets',
    label: budgetsText.columns.resets,
    width: '6.5rem',
    yields: 4,
    cell: ({ state }) =>
      state?.resets_at ? (
        <RelativeTimeText at={state.resets_at} />
      ) : (
        <span className="text-ink-3">{budgetsText.none}</span>
      ),
  },
  {
    id: 'source',
    label: budgetsText.columns.source,
    width: '8rem',
    yields: 5,
    cell: ({ source }) => <SourceBadge source={source} />,
  },
];

/** Shows the spent and the reserved amount of a budget as a bar. */
export function BudgetSpendMeter({ budget: { state, limit_usd } }: { readonly budget: Budget }) {
  const most = limit_usd * NANO;
  if (!state) return <span className="figures">{budgetsText.spent.each(formatMoney(most))}</span>;
  return (
    <Meter
      label={budgetsText.spent.label}
      used={state.spent_nano_usd}
      held={state.reserved_nano_usd}
      most={most}
      text={budgetsText.spent.of(formatMoney(state.spent_nano_usd), formatMoney(most))}
      heldText={budgetsText.spent.reserved(formatMoney(state.reserved_nano_usd))}
    />
  );
}

/** Shows the spending forecast, with a warning icon if it exceeds the limit. */
export function BudgetForecast({ budget }: { readonly budget: Budget }) {
  const { summary, isOver, explanation } = describeForecast(budget, useNow());
  return (
    <span
      title={explanation}
      className={joinClassNames(
        'inline-flex max-w-full items-center gap-1 align-bottom',
        isOver && 'font-medium text-warning-ink',
      )}
    >
      {isOver && <TriangleAlert size={14} aria-label={budgetsText.forecast.overLimit} role="img" />}
      <span className="truncate">{summary}</span>
    </span>
  );
}

/** Renders a budget as a card, for phones. */
export function BudgetCard({ budget }: { readonly budget: Budget }) {
  return (
    <span className="grid gap-0.5">
      <span className="flex justify-between gap-2 font-medium">
        <span className="truncate">{budget.name}</span>
        <span className="text-small font-normal text-ink-2">
          {budget.state
            ? budgetsText.spent.remaining(formatMoney(Math.max(0, budget.state.remaining_nano_usd)))
            : describeLimitSubject(budget)}
        </span>
      </span>
      <span className="text-small text-ink-2">
        <BudgetSpendMeter budget={budget} />
      </span>
    </span>
  );
}
