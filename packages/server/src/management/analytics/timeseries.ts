import { timeseries, timeseriesQuery } from '@floe/contract/api/charts';
import { Fault } from '@floe/contract/faults';
import { isPercentile, seriesOf, stepsOf } from '../../analytics/charts.ts';
import { HOUR_MS, MINUTE_MS } from '../../store/rollups/gather.ts';
import { readVerb } from '../verb.ts';
import { chartRange, covered } from './chart-range.ts';
import { valueNames } from './value-names.ts';

const STEP_MS = { minute: MINUTE_MS, hour: HOUR_MS, day: 24 * HOUR_MS };
/** More than a screen has columns; 90 days of hours fit. */
const POINTS_MAX = 5_000;

export const getTimeseries = readVerb({
  name: 'analytics.timeseries',
  method: 'GET',
  path: '/api/analytics/timeseries',
  scope: 'management',
  summary: 'Read a metric over time, as one series or one per value of a dimension',
  query: timeseriesQuery,
  answer: timeseries,
  async run(context, { query }) {
    const { metric, interval, group_by, limit, ...rest } = query;
    const range = chartRange(context, rest, group_by, interval);
    const wanted = { ...range, metric, limit, stepMs: STEP_MS[interval] };
    if (range.groupBy && range.filter && range.groupBy !== range.filter.facet && isPercentile(metric))
      throw new Fault('invalid_request', 'metric: percentiles are counted for one dimension at a time', {
        param: 'metric',
      });
    const steps = (wanted.to - wanted.from) / wanted.stepMs;
    if (steps > POINTS_MAX)
      throw new Fault('invalid_request', `interval: the range has more than ${POINTS_MAX} of them`, {
        param: 'interval',
      });
    const series = await seriesOf(context.reader, wanted);
    const values = series.map(({ value }) => value);
    const nameOf = await valueNames(context.reader, context.orgId, group_by, values);
    return {
      ...covered(range),
      at: stepsOf(wanted).map((at) => new Date(at).toISOString()),
      series: series.map((one) => ({ ...one, value: one.value || null, name: nameOf(one.value) })),
    };
  },
});
