import type { timeseries } from '@floe/contract/api/charts';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type * as z from 'zod';
import { useOrgId } from '../../app/url-state.ts';
import { get } from '../../data/api-client.ts';
import { useMarks } from '../../data/marks.ts';
import { count } from '../../format/amounts.ts';
import { Lanes } from '../../ui/lanes.tsx';
import { lanesOf } from '../requests/request-lanes.ts';

type Timeseries = z.output<typeof timeseries>;

const HOURS = 24;
const HOUR_MS = 3_600_000;

/** What the provider answered in the last day, with the moments at which this breaker changed. */
export function BreakerTraffic({ id, provider }: { readonly id: string; readonly provider: string }) {
  const [from] = useState(() => new Date(Date.now() - HOURS * HOUR_MS).toISOString());
  const navigate = useNavigate();
  const org = useOrgId();
  const requests = useCounts('requests', provider, from);
  const errors = useCounts('errors', provider, from);
  const marks = useMarks({ from }).filter(({ page }) => page?.search['open'] === id);
  const lanes = lanesOf(requests, errors);
  const [all, bad] = [
    lanes.reduce((sum, lane) => sum + lane.good + lane.bad, 0),
    lanes.reduce((sum, lane) => sum + lane.bad, 0),
  ];
  if (lanes.length === 0) return null;
  const show = (at: number) =>
    void navigate({
      to: `/o/${org}/requests`,
      search: { provider, from: new Date(at).toISOString(), to: new Date(at + HOUR_MS).toISOString() },
    });
  return (
    <section className="grid gap-2">
      <h3 className="text-ui font-semibold">
        Answers of {provider}, {HOURS} h
      </h3>
      <Lanes
        lanes={lanes}
        marks={marks}
        label={`${count(all)} requests, ${count(bad)} not OK; the breaker changed ${count(marks.length)} times`}
        onChoose={show}
      />
    </section>
  );
}

function useCounts(metric: string, provider: string, from: string): Timeseries | undefined {
  return useQuery({
    queryKey: ['analytics', 'timeseries', 'breaker', metric, provider, from],
    queryFn: ({ signal }) =>
      get<Timeseries>('api/analytics/timeseries', { metric, provider, from, interval: 'hour' }, signal),
    refetchInterval: 15_000,
  }).data;
}
