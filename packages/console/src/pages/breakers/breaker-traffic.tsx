import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useOrgNavigate } from '../../app/use-org-navigate.ts';
import { buildTimeseriesQuery, HOUR_MS } from '../../data/analytics-queries.ts';
import { getCurrentTime } from '../../data/server-clock.ts';
import { useAnnotations } from '../../data/use-annotations.ts';
import { formatCountWithNoun } from '../../format/words.ts';
import { RequestTimeline } from '../../ui/request-timeline.tsx';
import { toTimelineIntervals } from '../requests/timeline-intervals.ts';
import { breakersText } from './text.ts';

const HOURS = 24;

/** Shows a chart of the recent requests to the provider of a breaker, with the state changes of the breaker. */
export function BreakerTraffic({ id, provider }: { readonly id: string; readonly provider: string }) {
  const [from] = useState(() => new Date(getCurrentTime().getTime() - HOURS * HOUR_MS).toISOString());
  const go = useOrgNavigate();
  const query = buildTimeseriesQuery(
    { metric: 'requests', group_by: 'outcome', provider, interval: 'hour' },
    HOURS * HOUR_MS,
  );
  const { data } = useQuery({ ...query, refetchInterval: 15_000 });
  const marks = useAnnotations({ from }).filter(({ page }) => page?.search['open'] === id);
  const intervals = toTimelineIntervals(data);
  if (intervals.length === 0) return null;
  const show = (at: number) =>
    go('/requests', {
      search: { provider, from: new Date(at).toISOString(), to: new Date(at + HOUR_MS).toISOString() },
    });
  return (
    <section className="grid gap-2">
      <h3 className="text-ui font-semibold">{breakersText.traffic.title(provider, HOURS)}</h3>
      <RequestTimeline
        intervals={intervals}
        marks={marks}
        label={breakersText.traffic.label(formatCountWithNoun(marks.length, breakersText.traffic.change))}
        onChoose={show}
      />
    </section>
  );
}
