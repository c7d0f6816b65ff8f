import * as z from 'zod';
import { createTimezoneField } from '../config/fields.ts';
import { EXCHANGE_OUTCOMES } from '../exchange-outcome.ts';
import { createJsonValueField } from '../json-value.ts';
import { billedUnitCounts, exchangeAttempt, exchangeDecision, millisecondsField } from './attempts.ts';
import { checkFilteredQuery } from './filtered-query.ts';
import { nanoUsd, usd } from './money.ts';
import { createPageSchema, dateOrTimestamp, timeRangeListQuery, timestamp } from './page.ts';

const text = z.string().min(1).max(300);

/** One value or several. The number is limited, because each value needs its own lookup. */
function oneOrSeveral<Value extends z.ZodType>(value: Value) {
  return z.union([value, z.array(value).min(1).max(20)]).optional();
}

/** How a filter parameter selects values. */
export const FILTER_VALUE_SYNTAX =
  'Repeat the parameter to match any of several values. `!x` excludes the value x. `*` matches any value, and `!*` matches requests without a value. `=!x` matches the literal value `!x`.';
const word = oneOrSeveral(text).describe(FILTER_VALUE_SYNTAX);
const status = z
  .string()
  .regex(
    /^!?(error|[1-5](\d\d(\.\.[1-5]\d\d)?|xx))$/,
    'must be an HTTP status such as 429, a class such as 5xx, a range such as 400..499, or `error`',
  );
const number = String.raw`-?\d{1,15}(\.\d{1,9})?`;
const bounds = oneOrSeveral(
  z
    .string()
    .regex(
      new RegExp(`^((>=|<=|>|<|)${number}|(${number})?\\.\\.(${number})?)$`),
      'must be a number, a bound such as >=100, or a range such as 100..200',
    ),
).describe(
  'A number, a bound such as `>=100`, or a range such as `100..200`. If you repeat the parameter, all conditions must match.',
);
const flag = z.enum(['true', 'false']).optional();

/** The query parameters that filter requests. Lists, exports and the live tail of requests accept them. */
export const requestFilterQueryFields = {
  route_mode: word,
  surface: word,
  key: word.describe(`Name or id of the platform key. ${FILTER_VALUE_SYNTAX}`),
  model: word.describe(
    `Model that the client requested, or model that served the request: a model id with or without the provider id, such as \`openai/gpt-5\` or \`gpt-5\`. ${FILTER_VALUE_SYNTAX}`,
  ),
  model_requested: word,
  provider: word,
  status: oneOrSeveral(status).describe(
    'HTTP status of the response: a status such as `429`, a class such as `5xx`, a range such as `400..499`, or `error` for 400 and above. A leading `!` excludes matching statuses. Repeat the parameter to match any of several values.',
  ),
  state: word.describe(
    `State: complete, partial, aborted, failed, blocked or cached. ${FILTER_VALUE_SYNTAX}`,
  ),
  outcome: word.describe(`Outcome of the request: ${EXCHANGE_OUTCOMES.join(', ')}. ${FILTER_VALUE_SYNTAX}`),
  error_code: word,
  error_source: word,
  finish_reason: word,
  cache: word,
  team: word,
  owner: word,
  end_user: word,
  client: word.describe(
    `Name of the client application, such as claude-code, codex or cursor. ${FILTER_VALUE_SYNTAX}`,
  ),
  session: word.describe(`Session id that the client sent. ${FILTER_VALUE_SYNTAX}`),
  usage_source: word,
  stream: flag.describe('Whether the client requested a stream.'),
  dropped: flag.describe(
    'Whether Floe removed request fields that the provider does not support, or response content that Floe could not translate.',
  ),
  latency_ms: bounds,
  first_token_ms: bounds,
  overhead_ms: bounds,
  cost_nano_usd: bounds,
  input_tokens: bounds,
  output_tokens: bounds,
  attempts: bounds.describe(
    'Number of calls to providers: a number, a bound such as `>=2`, or a range such as `2..5`. If you repeat the parameter, all conditions must match.',
  ),
};
export const requestFilterQuery = z.object(requestFilterQueryFields);
export type RequestFilterQuery = z.output<typeof requestFilterQuery>;

/**
 * Creates the schema of a query with the fields of `shape` and all request filters. A parameter such as
 * `metadata.team=growth` filters by the metadata that the caller sent. Rejects unknown parameters.
 */
export function createFilteredQuerySchema<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z
    .object({ ...requestFilterQueryFields, ...shape })
    .catchall(z.union([z.string().max(300), z.array(z.string().max(300)).max(20)]))
    .check(checkFilteredQuery(requestFilterQueryFields, shape));
}

/** An event id in the stream of `GET /api/events`. */
const liveId = z
  .string()
  .regex(/^[\w-]{22}$/, 'must be an event id from the event stream')
  .describe('Position in the stream of `GET /api/events`: the `id` of an event.');

export const requestListQuery = createFilteredQuerySchema({
  ...timeRangeListQuery.shape,
  live: flag.describe(
    '`true` adds `live_id` to the first page: the position in the event stream up to which the page is complete.',
  ),
});

/**
 * The query parameters for listing the requests that were recorded between two events of the event stream.
 */
export const requestTailQuery = createFilteredQuerySchema({
  after: liveId.describe(
    'Position in the stream of `GET /api/events`: the `id` of an event. Floe lists requests from later events only.',
  ),
  until: liveId.optional().describe('Position of the last event to include. Defaults to the latest event.'),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(500)
    .default(100)
    .describe('Maximum number of rows in `data`. `count` includes all matching requests.'),
});

/** The query parameters for exporting all requests that match the request list's filters. */
export const requestExportQuery = createFilteredQuerySchema({
  from: dateOrTimestamp
    .optional()
    .describe(
      'Start of the time range. A date such as `2026-11-21` means the start of the day in `timezone`. Defaults to the oldest request.',
    ),
  to: dateOrTimestamp
    .optional()
    .describe(
      'End of the time range, exclusive. A date means the start of the day in `timezone`. Defaults to now.',
    ),
  timezone: createTimezoneField()
    .optional()
    .describe(
      'IANA time zone for dates and for the CSV column `created_at_local`. Defaults to the organization’s time zone.',
    ),
  format: z.enum(['csv', 'ndjson']).default('csv').describe('Format of the file.'),
});

const tokens = z.int().nullable();

const fields = {
  id: z.string(),
  created_at: timestamp,
  surface: z.string(),
  route_mode: z.string(),
  key_id: z.string(),
  key_name: z.string(),
  team: z.string().nullable(),
  owner: z.string().nullable(),
  end_user: z.string().nullable(),
  client: z
    .string()
    .nullable()
    .describe(
      'Name of the client application, derived from the request headers. Floe does not verify this value.',
    ),
  session: z.string().nullable().describe('Session id that the client sent.'),
  model_requested: z.string().nullable().describe('Model that the client requested.'),
  provider: z.string().nullable(),
  model: z
    .string()
    .nullable()
    .describe('Model that served the request: the model id without the provider id, such as `gpt-5`.'),
  stream: z.boolean(),
  status: z
    .int()
    .describe(
      'HTTP status of the response. 499 if the client disconnected. For a stream that failed before it had content, the status of the error.',
    ),
  state: z.string().describe('State: `complete`, `partial`, `aborted`, `failed`, `blocked` or `cached`.'),
  outcome: z
    .enum(EXCHANGE_OUTCOMES)
    .describe(
      'Result of the request, derived from `state`, `status` and `error_code`. `blocked`: Floe rejected the request or its response, for example because of a policy or budget. `client_error`: the request itself caused a 4xx error. `gateway_error`: Floe could not process the request, for example because it was overloaded. `upstream_error`: the request failed because of the provider.',
    ),
  error_code: z.string().nullable(),
  error_source: z.string().nullable(),
  finish_reason: z.string().nullable(),
  attempt_count: z.int().describe('Number of calls to providers.'),
  usage: z.strictObject({
    input_tokens: tokens,
    cached_tokens: tokens,
    cache_write_tokens: tokens,
    output_tokens: tokens,
    reasoning_tokens: tokens,
    billed_units: billedUnitCounts.describe(
      'Billed units in addition to or instead of plain tokens, by unit name, such as `cache_write_1h`, `web_search` or `image`.',
    ),
    service_tier: z
      .string()
      .nullable()
      .describe(
        'Service tier, such as `flex`, `priority` or `batch`. `null` means the standard tier, or that the model has no price.',
      ),
    source: z
      .string()
      .describe(
        'Source of the token counts. `provider`: the provider reported them. `estimated`: Floe estimated them. `none`: there are no token counts.',
      ),
  }),
  cost_nano_usd: nanoUsd.nullable(),
  cost_usd: usd.nullable(),
  cost_source: z
    .string()
    .nullable()
    .describe(
      'Source of the price: `catalog`, `override`, `free` or `seat`. `incomplete`: part of the usage is unknown or has no price, so the actual cost may differ. `null`: the model has no price, the request caused no usage, or the response came from the cache.',
    ),
  saved_nano_usd: nanoUsd
    .nullable()
    .describe(
      'Amount that the cached response saved. `null` if the response did not come from the cache or has no price.',
    ),
  prompt_saved_nano_usd: z
    .int()
    .nullable()
    .describe(
      'Amount that the provider’s prompt cache saved: the cost that the input would have had without the cache minus its actual cost. Negative if writing to the cache cost more than reading from the cache saved. `null` if no tokens were read from or written to the prompt cache, if the response came from the response cache, or if the model has no price.',
    ),
  cache: z.string().nullable(),
  latency_ms: millisecondsField,
  first_token_ms: millisecondsField.nullable(),
  overhead_ms: millisecondsField.nullable(),
  request_bytes: z.int(),
  response_bytes: z.int(),
  metadata: z.record(z.string(), createJsonValueField()),
  dropped: z
    .array(z.string())
    .describe(
      'Names of the request fields that Floe removed because the provider does not support them, and of response content that Floe could not translate.',
    ),
};

/** One exchange: a client request and its response. */
export const requestRow = z.strictObject(fields).meta({ id: 'Request' });
export type RequestRow = z.output<typeof requestRow>;

export const requestListPage = createPageSchema(requestRow).extend({
  live_id: liveId
    .optional()
    .describe(
      'Position in the event stream up to which the page is complete. Only the first page of a list with `live=true` contains this field. Requests that are recorded later appear only in the stream after this position.',
    ),
});
export type RequestListPage = z.output<typeof requestListPage>;

/** The requests that were recorded between two events of the event stream. */
export const requestTailPage = z.strictObject({
  count: z
    .int()
    .describe(
      'Exact number of requests that match the filters and were recorded between the positions `after` and `live_id`. 0 if `resync` is `true`.',
    ),
  sampled: z.boolean().describe('Whether `data` contains only the most recent requests.'),
  data: z.array(requestRow).describe('Matching requests, newest first. Empty if `resync` is `true`.'),
  live_id: liveId.describe(
    'Position in the event stream up to which the response is complete. Send it as `after` in the next request.',
  ),
  resync: z
    .boolean()
    .describe(
      'Whether the requests since `after` can no longer be listed individually. If `true`, read the request list again.',
    ),
});
export type RequestTailPage = z.output<typeof requestTailPage>;

/** A request with its attempts and routing decisions. */
export const requestDetail = z
  .strictObject({ ...fields, attempts: z.array(exchangeAttempt), decisions: z.array(exchangeDecision) })
  .meta({ id: 'RequestDetail' });
export type RequestDetail = z.output<typeof requestDetail>;
