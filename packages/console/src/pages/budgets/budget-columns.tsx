import { TriangleAlert } from 'lucide-react';
import { formatMoney } from '../../format/amounts.ts';
import { capitalize } from '../../format/words.ts';
import { joinClassNames } from '../../ui/class-names.ts';
import { Meter } from '../../ui/meter.tsx';
import { SourceBadge } from '../../ui/source-badge.tsx';
import type { TableColumn } from '../../ui/table-columns.ts';
import { TimeText, useNow } from '../../ui/time-text.tsx';
import { subjectText } from '../limits/subject.ts';
import { type Budget, forecastOf } from './budget-form.ts';

const NANO = 1e9;

export const BUDGET_COLUMNS: readonly TableColumn<Budget>[] = [
  {
    id: 'name',
    label: 'Name',
    width: 'minmax(6rem, 1fr)',
    value: ({ name }) => name,
    cell: ({ name }) => <span className="font-medium">{name}</span>,
  },
  {
    id: 'subject',
    label: 'Applies to',
    width: 'minmax(5rem, 14rem)',
    yields: 2,
    value: subjectText,
    cell: (budget) => (
      <>
        {capitalize(subjectText(budget))}
        {budget.model && <span className="text-ink-3"> · {budget.model}</span>}
      </>
    ),
  },
  {
    id: 'spent',
    label: 'Spent of limit',
    width: 'minmax(11rem, 16rem)',
    value: ({ state, limit_usd }) => (state ? state.spent_nano_usd / limit_usd : null),
    cell: (budget) => <Spent budget={budget} />,
  },
  {
    id: 'left',
    label: 'Left',
    width: '6rem',
    yields: 4,
    align: 'end',
    value: ({ state }) => state?.remaining_nano_usd ?? null,
    cell: ({ state }) => (state ? formatMoney(Math.max(0, state.remaining_nano_usd)) : '–'),
  },
  {
    id: 'period',
    label: 'Per',
    width: '5rem',
    value: ({ period }) => period,
    cell: ({ period }) => (period === 'total' ? 'in all' : period),
  },
  {
    id: 'mode',
    label: 'Mode',
    width: '5rem',
    yields: 1,
    value: ({ mode }) => mode,
    cell: ({ mode }) => (mode === 'hard' ? 'refuses' : 'only tells'),
  },
  {
    id: 'forecast',
    label: 'Forecast',
    width: '10rem',
    align: 'end',
    cell: (budget) => <Forecast budget={budget} />,
  },
  {
    id: 'resets',
    label: 'Starts anew',
    width: '6.5rem',
    yields: 3,
    cell: ({ state }) =>
      state?.resets_at ? <TimeText at={state.resets_at} /> : <span className="text-ink-3">–</span>,
  },
  {
    id: 'source',
    label: 'Source',
    width: '8rem',
    yields: 5,
    cell: ({ source }) => <SourceBadge source={source} />,
  },
];

export function Spent({ budget: { state, limit_usd } }: { readonly budget: Budget }) {
  const most = limit_usd * NANO;
  if (!state) return <span className="figures">{formatMoney(most)} each</span>;
  return (
    <Meter
      label="Spent"
      used={state.spent_nano_usd}
      held={state.reserved_nano_usd}
      most={most}
      text={`${formatMoney(state.spent_nano_usd)} / ${formatMoney(most)}`}
      heldText={`${formatMoney(state.reserved_nano_usd)} reserved`}
    />
  );
}

/** Where it leads if it goes on so; a triangle and other words where that is over the limit. */
export function Forecast({ budget }: { readonly budget: Budget }) {
  const { text, isOver, how } = forecastOf(budget, useNow());
  return (
    <span
      title={how}
      className={joinClassNames(
        'inline-flex items-center gap-1 align-bottom',
        isOver && 'font-medium text-warning-ink',
      )}
    >
      {isOver && <TriangleAlert size={14} aria-label="over the limit" role="img" />}
      {text}
    </span>
  );
}

export function BudgetCard({ budget }: { readonly budget: Budget }) {
  return (
    <span className="grid gap-0.5">
      <span className="flex justify-between gap-2 font-medium">
        <span className="truncate">{budget.name}</span>
        <span className="text-small font-normal text-ink-2">
          {budget.state
            ? `${formatMoney(Math.max(0, budget.state.remaining_nano_usd))} left`
            : subjectText(budget)}
        </span>
      </span>
      <span className="text-small text-ink-2">
        <Spent budget={budget} />
      </span>
    </span>
  );
}
