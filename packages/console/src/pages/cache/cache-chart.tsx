import { useQuery } from '@tanstack/react-query';
import { buildTimeseriesQuery, DAY_MS } from '../../data/analytics-queries.ts';
import { formatCount } from '../../format/amounts.ts';
import { Card } from '../../ui/cards.tsx';
import { Chart } from '../../ui/chart.tsx';
import { ErrorState, Skeleton } from '../../ui/feedback.tsx';
import { cacheText } from './text.ts';

const RESULTS: Readonly<Record<string, string>> = cacheText.chart.results;

/** Shows the requests of the last seven days by cache result. */
export function CacheChart() {
  const { data, error, refetch } = useQuery({
    ...buildTimeseriesQuery({ metric: 'requests', interval: 'hour', group_by: 'cache' }, 7 * DAY_MS),
    refetchInterval: 60_000,
  });
  const series = (data?.series ?? [])
    .filter(({ value }) => value !== null && Object.hasOwn(RESULTS, value))
    .map(({ value, values }) => ({ label: RESULTS[value ?? ''] ?? '', values }));
  return (
    <Card title={cacheText.chart.title} aside={cacheText.chart.aside}>
      {error && !data ? (
        <ErrorState what={cacheText.chart.loadFailed} error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton className="h-40" />
      ) : series.length === 0 ? (
        <p className="text-ui text-ink-2">{cacheText.chart.empty}</p>
      ) : (
        <Chart
          label={cacheText.chart.title}
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
