import { useQuery } from '@tanstack/react-query';
import { DAY_MS, timeseriesQuery } from '../../data/charts.ts';
import { orgKeysQuery } from '../../data/org-lists.ts';
import { formatCount } from '../../format/amounts.ts';
import { parseNumberField } from '../../format/number-field.ts';
import { pluralize } from '../../format/words.ts';
import { Chart } from '../../ui/chart.tsx';
import type { Limit, LimitForm } from './limit-form.ts';
import { minutesOver } from './minutes-over.ts';
import { keyNamed } from './subject.ts';

/** What was asked in the last day beside the bound that is typed, and how often that bound would have refused. */
export function LimitOutlook({ limit, form }: { readonly limit: Limit; readonly form: LimitForm }) {
  const keys = useQuery(orgKeysQuery).data?.data ?? [];
  const whose = subjectFilter(limit, keys);
  const { data } = useQuery({
    ...timeseriesQuery({ ...whose, metric: 'requests', interval: 'minute' }, DAY_MS),
    enabled: whose !== null,
    staleTime: 60_000,
  });
  const bound = parseNumberField(form.rpm);
  if (!data || typeof bound !== 'number') return null;
  const values = data.series[0]?.values ?? [];
  const { over, refused, most } = minutesOver(values, bound);
  return (
    <div className="grid gap-1.5 pt-2">
      <Chart
        label="Requests a minute, last 24 hours"
        at={data.at.map((at) => Date.parse(at))}
        series={[
          { label: 'Requests', values },
          { label: 'Limit', values: values.map(() => bound) },
        ]}
        format={formatCount}
        height={110}
      />
      <p className="text-small text-ink-2">
        {over === 0
          ? `In the last 24 hours ${formatCount(bound)} a minute would have refused nothing; the busiest minute had ${formatCount(most)}.`
          : `In the last 24 hours ${formatCount(bound)} a minute would have refused about ${pluralize(refused, 'request')}, in ${pluralize(over, 'minute')}; the busiest had ${formatCount(most)}.`}
      </p>
    </div>
  );
}

/** What charts can count alone: the whole org, or one key; null for others. */
function subjectFilter(
  { scope, key, model }: Limit,
  keys: Parameters<typeof keyNamed>[0],
): Readonly<Record<string, string>> | null {
  if (model !== null) return null;
  if (scope === 'org') return {};
  const id = scope === 'key' ? keyNamed(keys, key) : undefined;
  return id === undefined ? null : { key: id };
}
