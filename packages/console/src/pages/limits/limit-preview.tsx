import { useQuery } from '@tanstack/react-query';
import { buildTimeseriesQuery, DAY_MS } from '../../data/analytics-queries.ts';
import { keyLookupQuery } from '../../data/lookup-queries.ts';
import { formatCount } from '../../format/amounts.ts';
import { parseNumberField } from '../../format/number-field.ts';
import { formatCountWithNoun } from '../../format/words.ts';
import { Chart } from '../../ui/chart.tsx';
import type { Limit, LimitFormValues } from './limit-form.ts';
import { computeLimitImpact } from './limit-impact.ts';
import { findKeyIdByName, hasSavedSubject } from './limit-subject.ts';
import { limitsText } from './text.ts';

/** Shows the requests of the last day, and how many of them the limit in the form would have rejected. */
export function LimitPreview({ limit, form }: { readonly limit: Limit; readonly form: LimitFormValues }) {
  const keys = useQuery(keyLookupQuery).data?.data ?? [];
  const filter = subjectFilter(limit, keys);
  const { data } = useQuery({
    ...buildTimeseriesQuery({ ...filter, metric: 'requests', interval: 'minute' }, DAY_MS),
    enabled: filter !== null,
    staleTime: 60_000,
  });
  const bound = parseNumberField(form.rpm);
  // The requests are those of the saved subject and model.
  if (!data || typeof bound !== 'number' || !hasSavedSubject(limit, form)) return null;
  const values = data.series[0]?.values ?? [];
  const { minutesOver, rejected, most } = computeLimitImpact(values, bound);
  return (
    <div className="grid gap-1.5 pt-2">
      <Chart
        label={limitsText.preview.chart}
        at={data.at.map((at) => Date.parse(at))}
        series={[
          { label: limitsText.preview.requests, values },
          { label: limitsText.preview.limit, values: values.map(() => bound) },
        ]}
        format={formatCount}
        height={110}
      />
      <p className="text-small text-ink-2">
        {minutesOver === 0
          ? limitsText.preview.noneRejected(
              formatCountWithNoun(bound, 'request'),
              formatCountWithNoun(most, 'request'),
            )
          : limitsText.preview.rejected(
              formatCountWithNoun(bound, 'request'),
              formatCountWithNoun(rejected, 'request'),
              formatCountWithNoun(minutesOver, 'minute'),
              formatCountWithNoun(most, 'request'),
            )}
      </p>
    </div>
  );
}

/**
 * Returns the analytics filter for the organization or for one key. Null for other subjects, which charts
 * cannot count.
 */
function subjectFilter(
  { scope, key, model }: Limit,
  keys: Parameters<typeof findKeyIdByName>[0],
): Readonly<Record<string, string>> | null {
  if (model !== null) return null;
  if (scope === 'org') return {};
  const id = scope === 'key' ? findKeyIdByName(keys, key) : undefined;
  return id === undefined ? null : { key: id };
}
