import * as z from 'zod';
import { nanoUsd, usd } from './money.ts';
import { moment } from './page.ts';

/** What charts are grouped and filtered by, beside `metadata.<key>` for keys the org declared. */
export const DIMENSIONS = ['provider', 'model', 'key', 'status_class', 'surface'] as const;

/** Metrics that add up. */
export const SUMS = [
  'requests',
  'errors',
  'input_tokens',
  'cached_tokens',
  'cache_write_tokens',
  'output_tokens',
  'reasoning_tokens',
  'cost_nano_usd',
] as const;

export const METRICS = [
  ...SUMS,
  'latency_p50_ms',
  'latency_p95_ms',
  'latency_p99_ms',
  'first_token_p50_ms',
  'first_token_p95_ms',
  'first_token_p99_ms',
] as const;

const value = z.string().max(300).optional();
const facet = z
  .string()
  .regex(new RegExp(`^(${DIMENSIONS.join('|')}|metadata\\.[^.]+)$`), {
    error: `is none of ${DIMENSIONS.join(', ')} and no metadata.<key>`,
  })
  .describe(`${DIMENSIONS.join(', ')}, or metadata.<key> of a key that analytics.metadata_keys declares.`);

const range = {
  from: moment.optional().describe('Absent: 24 hours before `to`. Rounded down to the unit counted in.'),
  to: moment.optional().describe('Absent: now. Rounded up to the unit counted in.'),
};

const filters = {
  provider: value,
  model: value.describe('Bare id of the model that served.'),
  key: value.describe('Id of the platform key.'),
  status_class: z.enum(['1xx', '2xx', '3xx', '4xx', '5xx']).optional(),
  surface: value,
};

/** Strict but for `metadata.<key>`, which is a filter like the others. */
function chartQuery<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z
    .object({ ...range, ...filters, ...shape })
    .catchall(z.string().max(300))
    .check((context) => {
      for (const name of Object.keys(context.value))
        if (!(name in range || name in filters || name in shape) && !/^metadata\.[^.]+$/.test(name))
          context.issues.push({ code: 'unrecognized_keys', keys: [name], input: context.value });
    });
}

export const summaryQuery = chartQuery({});

export const timeseriesQuery = chartQuery({
  metric: z.enum(METRICS),
  interval: z.enum(['minute', 'hour', 'day']).default('hour').describe('Days are those of UTC.'),
  group_by: facet.optional(),
  limit: z.coerce.number().int().min(1).max(20).default(10).describe('Series; the rest is added up in one.'),
});

export const topQuery = chartQuery({
  by: facet,
  metric: z.enum(SUMS).default('requests').describe('What the order goes by.'),
  limit: z.coerce.number().int().min(1).max(100).default(10),
});

const percentiles = z
  .strictObject({
    mean: z.number().nullable(),
    p50: z.number().nullable(),
    p95: z.number().nullable(),
    p99: z.number().nullable(),
  })
  .describe('Estimated from a histogram whose buckets double; null without requests.');

const sums = {
  requests: z.int(),
  errors: z.int().describe('Answered with a status of 400 or more, or broken off.'),
  input_tokens: z.int(),
  cached_tokens: z.int(),
  cache_write_tokens: z.int(),
  output_tokens: z.int(),
  reasoning_tokens: z.int(),
  cost_nano_usd: nanoUsd,
  cost_usd: usd,
};

const figures = {
  ...sums,
  latency_ms: percentiles,
  first_token_ms: percentiles.omit({ mean: true }),
};

const covered = { from: moment, to: moment };

/** What requests of a range add up to. */
export const summary = z.strictObject({ ...covered, ...figures }).meta({ id: 'AnalyticsSummary' });
export type SummaryFigures = Omit<z.output<typeof summary>, 'from' | 'to'>;

/** One metric over time. `values` of each series stand at the moments of `at`. */
export const timeseries = z
  .strictObject({
    ...covered,
    at: z.array(moment).describe('Start of each interval.'),
    series: z.array(
      z.strictObject({
        value: z
          .string()
          .nullable()
          .describe('Of `group_by`; null for requests that have none, and without it.'),
        name: z.string().nullable().describe('Name of the key, when grouped by key.'),
        other: z.boolean().describe('The sum of every series beyond `limit`.'),
        values: z.array(z.number().nullable()).describe('Null where a percentile has no requests.'),
      }),
    ),
  })
  .meta({ id: 'AnalyticsTimeseries' });

export const top = z
  .strictObject({
    ...covered,
    data: z.array(z.strictObject({ value: z.string().nullable(), name: z.string().nullable(), ...sums })),
  })
  .meta({ id: 'AnalyticsTop' });
