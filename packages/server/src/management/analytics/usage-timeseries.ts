import { analyticsTimeseries, analyticsTimeseriesQuery } from '@floe/contract/api/charts';
import { Fault } from '@floe/contract/faults';
import { computePreviousRange } from '../../analytics/chart-grid.ts';
import {
  buildChartRequestGrid,
  type ChartSeries,
  type ChartSeriesRequest,
  isPercentileMetric,
  queryChartSeries,
} from '../../analytics/charts.ts';
import { HOUR_MS, MINUTE_MS } from '../../store/rollups/rollup-accumulator.ts';
import { defineReadOperation, type Operation } from '../operation.ts';
import { type AnalyticsDataRange, toIsoTimestamp } from './analytics-data-range.ts';
import { resolveFilteredChartRequest } from './filtered-chart-request.ts';
import { loadKeyNameLookup } from './value-names.ts';

const INTERVAL_MS = { minute: MINUTE_MS, hour: HOUR_MS, day: 24 * HOUR_MS };
/** Exceeds the number of pixel columns of a screen. 90 days of hours fit. */
const MAX_POINTS = 5_000;

/** Defines the operation that returns a metric over time (`GET /api/analytics/timeseries`). */
export function defineGetUsageTimeseriesOperation(coverage: AnalyticsDataRange): Operation {
  return defineReadOperation({
    name: 'analytics.timeseries',
    method: 'GET',
    path: '/api/analytics/timeseries',
    scope: 'management',
    summary: 'Read a metric over time, as one series or as one series per value of a dimension',
    query: analyticsTimeseriesQuery,
    answer: analyticsTimeseries,
    async run(context, { query }) {
      const { metric, interval, group_by, limit, ...rest } = query;
      const range = await resolveFilteredChartRequest(context, coverage.timezoneOf(context.orgId), rest, {
        groupBy: group_by,
        interval,
        isPercentile: isPercentileMetric(metric),
      });
      const wanted = { ...range, metric, limit, stepMs: INTERVAL_MS[interval] };
      requirePointLimit(wanted);
      const series = await queryChartSeries(context.reader, wanted);
      const values = series.map(({ value }) => value);
      const nameOf = await loadKeyNameLookup(context.reader, context.orgId, group_by, values);
      const shown = (one: ChartSeries) => ({ ...one, value: one.value || null, name: nameOf(one.value) });
      const answer = {
        ...coverage.describeRange(range, context.clock),
        at: buildChartRequestGrid(wanted).starts.map(toIsoTimestamp),
        series: series.map(shown),
      };
      if (query.compare === undefined) return answer;
      const only = values.flatMap((value) => value ?? []);
      const before = { ...wanted, ...computePreviousRange(wanted, range.timezone), onlyValues: only };
      const { from, to } = before;
      const previous = (await queryChartSeries(context.reader, before)).map(shown);
      return {
        ...answer,
        previous: {
          from: toIsoTimestamp(from),
          to: toIsoTimestamp(to),
          at: buildChartRequestGrid(before).starts.map(toIsoTimestamp),
          series: previous,
        },
      };
    },
  });
}

/** @throws Fault `invalid_request` for a chart with too many points */
function requirePointLimit({ from, to, stepMs }: ChartSeriesRequest): void {
  if ((to - from) / stepMs > MAX_POINTS)
    throw new Fault(
      'invalid_request',
      `interval: each series would have more than ${MAX_POINTS} points. Choose a longer interval or a shorter range.`,
      {
        param: 'interval',
      },
    );
}
