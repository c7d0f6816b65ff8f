import { useQuery } from '@tanstack/react-query';
import { DAY_MS, timeseriesQuery } from '../../data/charts.ts';
import { formatCount } from '../../format/amounts.ts';
import { Card } from '../../ui/cards.tsx';
import { Chart } from '../../ui/chart.tsx';
import { ErrorState, Skeleton } from '../../ui/feedback.tsx';

const WORDS: Readonly<Record<string, string>> = {
  hit: 'Answered from it',
  miss: 'Asked',
  bypass: 'Past it',
  refresh: 'Renewed',
};

/** What the cache did with each request, hour by hour. */
export function CacheChart() {
  const { data, error, refetch } = useQuery({
    ...timeseriesQuery({ metric: 'requests', interval: 'hour', group_by: 'cache' }, 7 * DAY_MS),
    refetchInterval: 60_000,
  });
  const series = (data?.series ?? [])
    .filter(({ value }) => value !== null && Object.hasOwn(WORDS, value))
    .map(({ value, values }) => ({ label: WORDS[value ?? ''] ?? '', values }));
  return (
    <Card title="Requests by what the cache did" aside="7 days, by the hour">
      {error && !data ? (
        <ErrorState what="Could not load the chart." error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton className="h-40" />
      ) : series.length === 0 ? (
        <p className="text-ui text-ink-2">
          Nothing in the last 7 days: the cache was off, or no request came.
        </p>
      ) : (
        <Chart
          label="Requests by what the cache did"
          at={data.at.map((at) => Date.parse(at))}
          series={series}
          kind="stacked"
          format={formatCount}
          height={160}
        />
      )}
    </Card>
  );
}
