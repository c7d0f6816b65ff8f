import * as z from 'zod';
import { ERROR_OUTCOMES } from '../exchange-outcome.ts';
import { FILTER_VALUE_SYNTAX, requestFilterQueryFields } from './analytics.ts';
import { chartRangeQueryFields, timeCoverageFields } from './chart-range.ts';
import { checkFilteredQuery } from './filtered-query.ts';
import { nanoUsd, usd } from './money.ts';
import { timestamp } from './page.ts';

/**
 * The dimensions that charts can be grouped and filtered by, in addition to `metadata.<key>` for
 * keys that the organization declared.
 */
export const CHART_DIMENSIONS = ['provider', 'model', 'key', 'status_class', 'surface', 'outcome'] as const;

/**
 * Further dimensions that charts can be grouped and filtered by. These dimensions are counted per hour and
 * cannot be combined with other dimensions.
 */
export const STANDALONE_CHART_DIMENSIONS = [
  'model_requested',
  'route_mode',
  'state',
  'error_code',
  'cache',
  'team',
  'owner',
] as const;

const ALL_DIMENSIONS = [...CHART_DIMENSIONS, ...STANDALONE_CHART_DIMENSIONS];

/** The chart metrics whose values can be added up, unlike percentiles. */
export const ADDITIVE_CHART_METRICS = [
  'requests',
  'errors',
  'input_tokens',
  'cached_tokens',
  'cache_write_tokens',
  'output_tokens',
  'reasoning_tokens',
  'cost_nano_usd',
  'saved_nano_usd',
] as const;

/** All metrics that charts can show. */
export const CHART_METRICS = [
  ...ADDITIVE_CHART_METRICS,
  'latency_p50_ms',
  'latency_p95_ms',
  'latency_p99_ms',
  'first_token_p50_ms',
  'first_token_p95_ms',
  'first_token_p99_ms',
] as const;

const text = z.string().max(300);
/** One or several values of a dimension. A leading `!` excludes a value. */
const values = z.union([text, z.array(text).min(1).max(50)]);
const value = values.optional().describe(FILTER_VALUE_SYNTAX);
const facet = z
  .string()
  .regex(new RegExp(`^(${ALL_DIMENSIONS.join('|')}|metadata\\.[^.]+)$`), {
    error: `must be one of ${ALL_DIMENSIONS.join(', ')} or metadata.<key>`,
  })
  .describe(
    `Dimension: ${ALL_DIMENSIONS.join(', ')}, or metadata.<key> for a key that analytics.metadata_keys declares.`,
  );

/** The filters of the request list, with the same meaning. */
const filters = {
  ...requestFilterQueryFields,
  provider: value,
  model: value.describe(
    `Model that the client requested, or model that served the request: a model id with or without the provider id, such as \`openai/gpt-5\` or \`gpt-5\`. ${FILTER_VALUE_SYNTAX}`,
  ),
  key: value.describe(`Name or id of the platform key. ${FILTER_VALUE_SYNTAX}`),
  status_class: value.describe(
    'Status class, such as `5xx`. Repeat the parameter to match any of several values. `!x` excludes the class x.',
  ),
  surface: value,
  model_requested: value,
  route_mode: value,
  state: value,
  error_code: value,
  cache: value,
  team: value,
  owner: value,
};

const compare = z
  .enum(['previous'])
  .optional()
  .describe(
    '`previous` adds the values of the preceding range of the same length. For a range of whole days, the preceding range has the same number of days.',
  );

/** Rejects unknown parameters. Accepts `metadata.<key>`, because it is a filter. */
function chartQuery<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z
    .object({ ...chartRangeQueryFields, ...filters, ...shape })
    .catchall(values)
    .check(checkFilteredQuery(chartRangeQueryFields, filters, shape));
}

export const analyticsSummaryQuery = chartQuery({ compare });

export const analyticsTimeseriesQuery = chartQuery({
  metric: z.enum(CHART_METRICS).describe('The metric to chart.'),
  interval: z
    .enum(['minute', 'hour', 'day'])
    .default('hour')
    .describe(
      'Length of each interval. Days begin at midnight in `timezone`. Minutes and hours are aligned to UTC.',
    ),
  group_by: facet.optional(),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(20)
    .default(10)
    .describe('Maximum number of separate series. Floe combines all others into one series.'),
  compare,
});

export const analyticsTopValuesQuery = chartQuery({
  by: facet,
  metric: z.enum(ADDITIVE_CHART_METRICS).default('requests').describe('The metric to sort by.'),
  limit: z.coerce.number().int().min(1).max(100).default(10).describe('Maximum number of entries in `data`.'),
  compare,
});

export const analyticsDimensionValuesQuery = z.strictObject({
  ...chartRangeQueryFields,
  field: facet,
  q: text
    .optional()
    .describe(
      'Only values that start with this text. Case-insensitive. For keys, the name of the key must start with this text. For models, the name after the provider id can also start with it.',
    ),
  limit: z.coerce.number().int().min(1).max(200).default(20).describe('Maximum number of entries in `data`.'),
});

const percentiles = z
  .strictObject({
    mean: z.number().nullable(),
    p50: z.number().nullable(),
    p95: z.number().nullable(),
    p99: z.number().nullable(),
  })
  .describe(
    'Values for requests that reached a provider, in milliseconds. Floe estimates percentiles from a histogram in which the upper bound of each bucket is twice that of the previous bucket. `null` if there are no such requests.',
  );

const sums = {
  requests: z.int(),
  errors: z
    .int()
    .describe(
      `Number of requests that reached a provider and have one of these outcomes: ${ERROR_OUTCOMES.join(', ')}.`,
    ),
  input_tokens: z.int(),
  cached_tokens: z.int(),
  cache_write_tokens: z.int(),
  output_tokens: z.int(),
  reasoning_tokens: z.int(),
  cost_nano_usd: nanoUsd,
  cost_usd: usd,
  saved_nano_usd: nanoUsd.describe('Amount that cached responses saved.'),
  saved_usd: usd,
};

const figures = {
  ...sums,
  upstream_requests: z
    .int()
    .describe(
      'Number of requests that reached a provider. Error rates and latencies refer to these requests.',
    ),
  latency_ms: percentiles,
  first_token_ms: percentiles.omit({ mean: true }),
};

const before = { from: timestamp, to: timestamp };

/** The totals over the requests in a time range. */
export const analyticsSummary = z
  .strictObject({
    ...timeCoverageFields,
    ...figures,
    previous: z
      .strictObject({ ...before, ...figures })
      .optional()
      .describe('Values of the preceding range, with `compare=previous`.'),
  })
  .meta({ id: 'AnalyticsSummary' });
const allFigures = z.strictObject(figures);
export type AnalyticsMetrics = z.output<typeof allFigures>;

const series = z.strictObject({
  value: z
    .string()
    .nullable()
    .describe(
      'Value of the `group_by` dimension. `null` for requests that have no value, for the series with `other: true`, and if `group_by` is not set.',
    ),
  name: z.string().nullable().describe('Name of the key, if the series are grouped by key.'),
  other: z.boolean().describe('Whether this series combines all values beyond `limit`.'),
  values: z
    .array(z.number().nullable())
    .describe(
      'One value for each time in `at`. For percentiles, `null` for an interval without measured values.',
    ),
});

/** One metric over time. The `values` in each series correspond to the timestamps in `at`. */
export const analyticsTimeseries = z
  .strictObject({
    ...timeCoverageFields,
    at: z
      .array(timestamp)
      .describe(
        'Start of each interval. The first and last intervals contain only requests within the range.',
      ),
    series: z.array(series),
    previous: z
      .strictObject({ ...before, at: z.array(timestamp), series: z.array(series) })
      .optional()
      .describe('The same values for the preceding range, with `compare=previous`.'),
  })
  .meta({ id: 'AnalyticsTimeseries' });

const topEntry = { value: z.string().nullable(), name: z.string().nullable(), ...sums };

/** The dimension values with the highest totals of a metric. */
export const analyticsTopValues = z
  .strictObject({
    ...timeCoverageFields,
    data: z.array(
      z.strictObject({
        ...topEntry,
        previous: z
          .strictObject(sums)
          .nullable()
          .optional()
          .describe(
            'The same entry in the preceding range, with `compare=previous`. `null` if the preceding range does not contain it.',
          ),
      }),
    ),
  })
  .meta({ id: 'AnalyticsTop' });

/** The values of a dimension, each with its number of requests, most frequent first. */
export const analyticsDimensionValues = z
  .strictObject({
    ...timeCoverageFields,
    field: z.string(),
    data: z.array(
      z.strictObject({ value: z.string().nullable(), name: z.string().nullable(), requests: z.int() }),
    ),
    has_more: z.boolean().describe('Whether there are more entries than `limit`.'),
  })
  .meta({ id: 'AnalyticsValues' });
