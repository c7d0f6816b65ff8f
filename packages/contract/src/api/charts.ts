import * as z from 'zod';
import { timezoneField } from '../config/fields.ts';
import { isFilterParameter, requestFilters } from './analytics.ts';
import { nanoUsd, usd } from './money.ts';
import { dateOrTimestamp, timestamp } from './page.ts';

/** What charts are grouped and filtered by, beside `metadata.<key>` for keys the org declared. */
export const CHART_DIMENSIONS = ['provider', 'model', 'key', 'status_class', 'surface', 'outcome'] as const;

/** Grouped and filtered by too, but counted by the hour and each by itself. */
export const INDEPENDENT_DIMENSIONS = [
  'model_requested',
  'route_mode',
  'state',
  'error_code',
  'cache',
  'team',
  'owner',
] as const;

const ALL_DIMENSIONS = [...CHART_DIMENSIONS, ...INDEPENDENT_DIMENSIONS];

/** Metrics that add up. */
export const ADDITIVE_METRICS = [
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

export const CHART_METRICS = [
  ...ADDITIVE_METRICS,
  'latency_p50_ms',
  'latency_p95_ms',
  'latency_p99_ms',
  'first_token_p50_ms',
  'first_token_p95_ms',
  'first_token_p99_ms',
] as const;

const text = z.string().max(300);
/** One value or several of a dimension; `!` before one leaves it out. */
const values = z.union([text, z.array(text).min(1).max(50)]);
const value = values.optional().describe('Repeat it for any of several values; `!x` is everything but x.');
const facet = z
  .string()
  .regex(new RegExp(`^(${ALL_DIMENSIONS.join('|')}|metadata\\.[^.]+)$`), {
    error: `must be one of ${ALL_DIMENSIONS.join(', ')} or metadata.<key>`,
  })
  .describe(
    `${ALL_DIMENSIONS.join(', ')}, or metadata.<key> of a key that analytics.metadata_keys declares.`,
  );

const range = {
  from: dateOrTimestamp
    .optional()
    .describe(
      'Included. A day, such as `2026-11-21`, is its beginning in `timezone`. Absent: 24 hours before `to`.',
    ),
  to: dateOrTimestamp.optional().describe('Not included; a day is its beginning. Absent: now.'),
  timezone: timezoneField()
    .optional()
    .describe('Of days, such as `Europe/Berlin`. Absent: that of the organization.'),
};

/** Those of the list, counted alike. */
const filters = {
  ...requestFilters,
  provider: value,
  model: value.describe('As asked for, or the model that served: its bare id or `<provider>/<model>`.'),
  key: value.describe('Name or id of the platform key.'),
  status_class: value.describe('Such as `5xx`.'),
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
    '`previous`: also the figures of the range of the same length just before; of whole days, as many days.',
  );

/** Strict but for `metadata.<key>`, which is a filter like the others. */
function chartQuery<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z
    .object({ ...range, ...filters, ...shape })
    .catchall(values)
    .check((context) => {
      for (const name of Object.keys(context.value))
        if (!isFilterParameter(name, range, filters, shape))
          context.issues.push({ code: 'unrecognized_keys', keys: [name], input: context.value });
    });
}

export const analyticsSummaryQuery = chartQuery({ compare });

export const analyticsTimeseriesQuery = chartQuery({
  metric: z.enum(CHART_METRICS).describe('The metric to chart.'),
  interval: z
    .enum(['minute', 'hour', 'day'])
    .default('hour')
    .describe('Days are those of `timezone`; minutes and hours those of UTC.'),
  group_by: facet.optional(),
  limit: z.coerce.number().int().min(1).max(20).default(10).describe('Series; the rest is added up in one.'),
  compare,
});

export const analyticsTopQuery = chartQuery({
  by: facet,
  metric: z.enum(ADDITIVE_METRICS).default('requests').describe('The metric to sort by.'),
  limit: z.coerce.number().int().min(1).max(100).default(10).describe('Rows at most.'),
  compare,
});

export const analyticsValuesQuery = z.strictObject({
  ...range,
  field: facet,
  q: text.optional().describe('What the value begins with, in any case; of a key, its name.'),
  limit: z.coerce.number().int().min(1).max(200).default(20).describe('Rows at most.'),
});

const percentiles = z
  .strictObject({
    mean: z.number().nullable(),
    p50: z.number().nullable(),
    p95: z.number().nullable(),
    p99: z.number().nullable(),
  })
  .describe(
    'Of requests that reached an upstream. Estimated from a histogram whose buckets double; null without requests.',
  );

const sums = {
  requests: z.int(),
  errors: z
    .int()
    .describe(
      'Requests that reached an upstream and ended as client_error, upstream_error or partial. Refusals and aborted requests are none.',
    ),
  input_tokens: z.int(),
  cached_tokens: z.int(),
  cache_write_tokens: z.int(),
  output_tokens: z.int(),
  reasoning_tokens: z.int(),
  cost_nano_usd: nanoUsd,
  cost_usd: usd,
  saved_nano_usd: nanoUsd.describe('What answers from the cache would have cost.'),
  saved_usd: usd,
};

const figures = {
  ...sums,
  upstream_requests: z
    .int()
    .describe('Those that reached an upstream: what the error rate and the latencies are counted of.'),
  latency_ms: percentiles,
  first_token_ms: percentiles.omit({ mean: true }),
};

const coverageFields = {
  from: timestamp,
  to: timestamp,
  timezone: z.string().describe('Of days.'),
  complete_until: timestamp.describe(
    'Requests that ended before are all counted. Those still going on are counted where they began, once they end.',
  ),
  retained_from: timestamp.describe('Older requests have been deleted.'),
};

const before = { from: timestamp, to: timestamp };

/** What requests of a range add up to. */
export const analyticsSummary = z
  .strictObject({
    ...coverageFields,
    ...figures,
    previous: z
      .strictObject({ ...before, ...figures })
      .optional()
      .describe('With `compare=previous`.'),
  })
  .meta({ id: 'AnalyticsSummary' });
const allFigures = z.strictObject(figures);
export type AnalyticsFigures = z.output<typeof allFigures>;

const series = z.strictObject({
  value: z.string().nullable().describe('Of `group_by`; null for requests that have none, and without it.'),
  name: z.string().nullable().describe('Name of the key, when grouped by key.'),
  other: z.boolean().describe('The sum of every series beyond `limit`.'),
  values: z.array(z.number().nullable()).describe('Null where a percentile has no requests.'),
});

/** One metric over time. `values` of each series stand at the moments of `at`. */
export const analyticsTimeseries = z
  .strictObject({
    ...coverageFields,
    at: z
      .array(timestamp)
      .describe('Start of each interval. The first and the last hold only what is in the range.'),
    series: z.array(series),
    previous: z
      .strictObject({ ...before, at: z.array(timestamp), series: z.array(series) })
      .optional()
      .describe('The same values of the range before, with `compare=previous`.'),
  })
  .meta({ id: 'AnalyticsTimeseries' });

const topEntry = { value: z.string().nullable(), name: z.string().nullable(), ...sums };

export const analyticsTop = z
  .strictObject({
    ...coverageFields,
    data: z.array(
      z.strictObject({
        ...topEntry,
        previous: z
          .strictObject(sums)
          .nullable()
          .optional()
          .describe(
            'The same value in the range before, with `compare=previous`; null when it was not there.',
          ),
      }),
    ),
  })
  .meta({ id: 'AnalyticsTop' });

/** Values of a dimension and how many requests have each, most first. */
export const analyticsValues = z
  .strictObject({
    ...coverageFields,
    field: z.string(),
    data: z.array(
      z.strictObject({ value: z.string().nullable(), name: z.string().nullable(), requests: z.int() }),
    ),
    has_more: z.boolean().describe('There are more than `limit`.'),
  })
  .meta({ id: 'AnalyticsValues' });

export const analyticsAnnotationsQuery = z.strictObject({
  ...range,
  about: z
    .enum(['traffic'])
    .optional()
    .describe(
      '`traffic`: only what may change requests: configuration, breakers, leaked keys, notes; no alerts.',
    ),
  limit: z.coerce.number().int().min(1).max(500).default(200).describe('Rows at most.'),
});

/** Something that a person or a deployment wants to see in charts. */
export const analyticsNoteInput = z.strictObject({
  text: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .describe('Text, for example `web 4.2 deployed`. Recorded in the audit log.'),
});

export const analyticsNote = z.strictObject({ at: timestamp, text: z.string() }).meta({ id: 'Annotation' });

/** What happened while requests went on: marks for charts, newest first. */
export const analyticsAnnotations = z
  .strictObject({
    ...coverageFields,
    data: z.array(
      z.strictObject({
        at: timestamp,
        kind: z.enum(['change', 'alert', 'breaker', 'note']),
        text: z.string(),
        actor: z.string().nullable().describe('Id of who changed it.'),
        actor_name: z.string().nullable(),
        subject: z.strictObject({ kind: z.string(), id: z.string(), name: z.string() }),
      }),
    ),
    has_more: z.boolean().describe('There are more than `limit`.'),
  })
  .meta({ id: 'AnalyticsAnnotations' });

export const monthlyBillQuery = z.strictObject({
  timezone: range.timezone.describe('Of the month. Absent: that of the organization.'),
});

export const monthlyBillParams = z.strictObject({
  month: z.string().regex(/^\d{4}-(0[1-9]|1[0-2])$/, 'must be a month such as 2026-10'),
});
