import { timeseries, timeseriesQuery } from '@floe/contract/api/charts';
import { Fault } from '@floe/contract/faults';
import { isPercentile, type Series, type SeriesRequest, seriesOf, stepsOf } from '../../analytics/charts.ts';
import { rangeBefore } from '../../analytics/grid.ts';
import { HOUR_MS, MINUTE_MS } from '../../store/rollups/gather.ts';
import { readVerb, type Verb } from '../verb.ts';
import { type Coverage, momentOf } from './analytics-host.ts';
import { chartOf } from './chart-filters.ts';
import { valueNames } from './value-names.ts';

const STEP_MS = { minute: MINUTE_MS, hour: HOUR_MS, day: 24 * HOUR_MS };
/** More than a screen has columns; 90 days of hours fit. */
const POINTS_MAX = 5_000;

export function getTimeseries(coverage: Coverage): Verb {
  return readVerb({
    name: 'analytics.timeseries',
    method: 'GET',
    path: '/api/analytics/timeseries',
    scope: 'management',
    summary: 'Read a metric over time, as one series or one per value of a dimension',
    query: timeseriesQuery,
    answer: timeseries,
    async run(context, { query }) {
      const { metric, interval, group_by, limit, ...rest } = query;
      const range = await chartOf(context, coverage.zoneOf(context.orgId), rest, {
        groupBy: group_by,
        interval,
        isPercentile: isPercentile(metric),
      });
      const wanted = { ...range, metric, limit, stepMs: STEP_MS[interval] };
      mustBeCounted(wanted);
      const series = await seriesOf(context.reader, wanted);
      const values = series.map(({ value }) => value);
      const nameOf = await valueNames(context.reader, context.orgId, group_by, values);
      const shown = (one: Series) => ({ ...one, value: one.value || null, name: nameOf(one.value) });
      const answer = {
        ...coverage.of(range, context.clock),
        at: stepsOf(wanted).starts.map(momentOf),
        series: series.map(shown),
      };
      if (query.compare === undefined) return answer;
      const only = values.flatMap((value) => value ?? []);
      const before = { ...wanted, ...rangeBefore(wanted, range.timezone), only };
      const { from, to } = before;
      const previous = (await seriesOf(context.reader, before)).map(shown);
      return {
        ...answer,
        previous: {
          from: momentOf(from),
          to: momentOf(to),
          at: stepsOf(before).starts.map(momentOf),
          series: previous,
        },
      };
    },
  });
}

/** @throws Fault `invalid_request` for a chart that has too many points */
function mustBeCounted({ from, to, stepMs }: SeriesRequest): void {
  if ((to - from) / stepMs > POINTS_MAX)
    throw new Fault('invalid_request', `interval: the range has more than ${POINTS_MAX} of them`, {
      param: 'interval',
    });
}
