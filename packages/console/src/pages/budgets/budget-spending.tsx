import { useQuery } from '@tanstack/react-query';
import { buildTimeseriesQuery, buildTopValuesQuery } from '../../data/analytics-queries.ts';
import { keyLookupQuery } from '../../data/lookup-queries.ts';
import { formatMoney } from '../../format/amounts.ts';
import { Chart } from '../../ui/chart.tsx';
import { findKeyIdByName } from '../limits/limit-subject.ts';
import type { Budget } from './budget-form.ts';
import { budgetsText } from './text.ts';

const NANO = 1e9;

/**
 * Shows a chart of the spending in this period and the limit, and lists where most of the money was spent.
 */
export function BudgetSpending({ budget }: { readonly budget: Budget }) {
  const { scope, key, model, metadata, state, period, limit_usd } = budget;
  const keys = useQuery(keyLookupQuery).data?.data ?? [];
  const id = scope === 'key' ? findKeyIdByName(keys, key) : null;
  // Charts can count only the whole organization or one key, and only in a period that has started.
  const isAlone = model === null && Object.keys(metadata).length === 0 && id !== undefined;
  const from = isAlone && (scope === 'org' || scope === 'key') ? (state?.starts_at ?? null) : null;
  const query = { from, ...(id && { key: id }) };
  const interval = period === 'day' || period === 'week' ? 'hour' : 'day';
  const spent = useQuery({
    ...buildTimeseriesQuery({ ...query, metric: 'cost_nano_usd', interval }),
    enabled: from !== null,
  }).data;
  if (!spent) return null;
  const sums = cumulativeSums(spent.series[0]?.values ?? []);
  return (
    <div className="grid gap-2">
      <Chart
        label={budgetsText.chart.title}
        at={spent.at.map((at) => Date.parse(at))}
        series={[
          { label: budgetsText.chart.spent, values: sums },
          { label: budgetsText.chart.limit, values: sums.map(() => limit_usd * NANO) },
        ]}
        format={formatMoney}
        height={120}
      />
      {from !== null && budget.created_at !== null && budget.created_at > from && (
        <p className="text-small text-ink-2">{budgetsText.chart.sinceCreation}</p>
      )}
      <Largest by={scope === 'org' ? 'key' : 'model'} query={query} />
    </div>
  );
}

function Largest({
  by,
  query,
}: {
  readonly by: 'key' | 'model';
  readonly query: { readonly from: string | null; readonly key?: string };
}) {
  const { data } = useQuery(buildTopValuesQuery({ ...query, by, metric: 'cost_nano_usd', limit: 3 }));
  const found = data?.data.filter(({ cost_nano_usd }) => cost_nano_usd > 0) ?? [];
  if (found.length === 0) return null;
  return (
    <p className="text-small text-ink-2">
      {budgetsText.chart.largest}
      {found.map(({ name, value, cost_nano_usd }, index) => (
        <span key={value}>
          {index > 0 && ', '}
          <span className="text-ink">{name ?? value ?? budgetsText.chart.unknown}</span>{' '}
          {formatMoney(cost_nano_usd)}
        </span>
      ))}
      .
    </p>
  );
}

/** Returns the cumulative sums of the values. */
function cumulativeSums(values: readonly (number | null)[]): number[] {
  let sum = 0;
  return values.map((value) => {
    sum += value ?? 0;
    return sum;
  });
}
