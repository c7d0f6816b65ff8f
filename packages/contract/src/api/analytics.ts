import * as z from 'zod';
import { nanoUsd, usd } from './money.ts';
import { moment, rangeQuery } from './page.ts';

const word = z.string().min(1).max(300).optional();

const filters = rangeQuery.extend({
  route_mode: z.enum(['unified', 'passthrough-a', 'passthrough-b', 'ide']).optional(),
  key: word.describe('Name or id of the platform key.'),
  model: word.describe('As asked for, or the bare id of the model that served.'),
  provider: word,
  status: z
    .string()
    .regex(/^[1-5](\d\d|xx)$/, 'is no HTTP status such as 429 and no class such as 5xx')
    .optional()
    .describe('HTTP status of the answer, such as `429`, or a class, such as `5xx`.'),
  state: z.enum(['complete', 'partial', 'aborted', 'failed', 'blocked', 'cached']).optional(),
});

/** Filters of the request list. `metadata.<key>=<value>` filters on the caller's own metadata. */
export const requestQuery = filters.catchall(z.string().max(300)).check((context) => {
  for (const name of Object.keys(context.value))
    if (!(name in filters.shape) && !/^metadata\.[^.]+$/.test(name))
      context.issues.push({ code: 'unrecognized_keys', keys: [name], input: context.value });
});

const tokens = z.int().nullable();
const milliseconds = z.number();

const fields = {
  id: z.string(),
  created_at: moment,
  surface: z.string(),
  route_mode: z.string(),
  key_name: z.string(),
  team: z.string().nullable(),
  owner: z.string().nullable(),
  end_user: z.string().nullable(),
  model_requested: z.string().nullable().describe('As the client asked for it.'),
  provider: z.string().nullable(),
  model: z.string().nullable().describe("The provider's bare id of the model that served."),
  stream: z.boolean(),
  status: z.int(),
  state: z.string().describe('complete, partial, aborted, failed, blocked or cached.'),
  error_code: z.string().nullable(),
  error_source: z.string().nullable(),
  usage: z.strictObject({
    input_tokens: tokens,
    cached_tokens: tokens,
    cache_write_tokens: tokens,
    output_tokens: tokens,
    reasoning_tokens: tokens,
    source: z.string().describe('provider, estimated or none.'),
  }),
  cost_nano_usd: nanoUsd.nullable(),
  cost_usd: usd.nullable(),
  cache: z.string().nullable(),
  latency_ms: milliseconds,
  first_token_ms: milliseconds.nullable(),
  overhead_ms: milliseconds.nullable(),
  metadata: z.record(z.string(), z.json()),
  dropped: z.array(z.string()).describe('Request fields that could not be carried to the provider.'),
};

/** One exchange: a client request and its answer. */
export const requestRow = z.strictObject(fields).meta({ id: 'Request' });
export type RequestRow = z.output<typeof requestRow>;

/** One try at one target. `attempts_json` of the exchange row holds a list of these as they are. */
export const attempt = z.strictObject({
  n: z.int(),
  provider: z.string(),
  model: z.string(),
  credential: z.string().nullable(),
  started_at: moment,
  status: z.int().nullable(),
  error: z.string().nullable(),
  first_token_ms: milliseconds.nullable(),
  duration_ms: milliseconds,
  usage: z
    .record(z.string(), z.int())
    .optional()
    .describe('Tokens of this attempt alone, when several were charged.'),
});
export type Attempt = z.output<typeof attempt>;

/** Why the exchange went the way it did. `decisions_json` holds a list of these as they are. */
export const decision = z.strictObject({ step: z.string(), outcome: z.string(), because: z.string() });
export type Decision = z.output<typeof decision>;

export const requestDetail = z
  .strictObject({ ...fields, attempts: z.array(attempt), decisions: z.array(decision) })
  .meta({ id: 'RequestDetail' });
