import * as z from 'zod';
import {
  createCrossFieldCheck,
  createModelPatternField,
  createShortTextField,
  createSlugField,
} from './fields.ts';
import { MAX_LIST_ENTRIES } from './max-resources-per-org.ts';
import { RouteTimeoutsSchema } from './providers.ts';

const qualifiedModelField = () => z.string().regex(/^[^/\s]+\/\S+$/, 'must have the form <provider>/<model>');

/** A target of a route in floe.yaml. */
export const TargetSchema = z
  .union([
    qualifiedModelField(),
    z.strictObject({
      model: qualifiedModelField().describe(
        '`<provider>/<model>`, where the provider belongs to this organization.',
      ),
      weight: z
        .number()
        .min(0)
        .default(1)
        .describe(
          'Weight of the target. With `strategy: weighted`, a target with weight 2 receives twice as many requests as one with weight 1.',
        ),
    }),
  ])
  .transform((target) => (typeof target === 'string' ? { model: target, weight: 1 } : target));

/** The fields of a route in floe.yaml. */
export const ROUTE_FIELDS = {
  model: createModelPatternField().describe(
    'Requested model that the route applies to: a model id, a pattern, or an alias such as `smart`.',
  ),
  enabled: z.boolean().default(true).describe('Set to `false` to disable the route.'),
  strategy: z
    .enum(['failover', 'weighted', 'least_latency'])
    .default('failover')
    .describe(
      'Order in which Floe tries the targets: as listed (`failover`), at random by weight (`weighted`), or lowest recent latency first (`least_latency`).',
    ),
  targets: z
    .array(TargetSchema)
    .max(MAX_LIST_ENTRIES.routeTargets)
    .default([])
    .describe(
      'Targets of the route, as `<provider>/<model>` or as an object with a weight. Without targets, Floe uses the requested model, and only the other settings of the route apply, such as `retries`.',
    ),
  retries: z
    .int()
    .min(0)
    .max(10)
    .default(2)
    .describe('Maximum number of retries on one target before Floe tries the next target.'),
  rescue: z
    .enum(['error', 'replay'])
    .default('error')
    .describe(
      'What Floe does if a stream is cut off after the client has received content: end the stream with an error (`error`), or generate the response again on another target and continue the stream (`replay`).',
    ),
  timeouts: RouteTimeoutsSchema.prefault({}).describe('Timeouts that override the provider’s timeouts.'),
  chat_reasoning: z
    .enum(['strip', 'forward'])
    .optional()
    .describe(
      'Whether Chat Completions responses contain reasoning text. Defaults to the organization’s setting.',
    ),
  cache: z
    .enum(['on', 'off'])
    .optional()
    .describe('Whether the route uses the response cache. Defaults to the value of `cache.enabled`.'),
};

/** A route in floe.yaml. */
export const RouteSchema = z.strictObject(ROUTE_FIELDS).check(
  createCrossFieldCheck(({ model, targets }, report) => {
    const isEmpty = targets === undefined || (Array.isArray(targets) && targets.length === 0);
    if (isEmpty && typeof model === 'string' && !/[/*]/.test(model))
      report(
        ['targets'],
        'must have at least one target, because the model is an alias (a name without / or *)',
      );
  }),
);

const PassthroughTargetSchema = z
  .union([
    createSlugField(),
    z.strictObject({
      provider: createSlugField().describe('Id of a provider in this organization.'),
      model_map: z
        .record(z.string().min(1), createShortTextField())
        .default({})
        .describe(
          'Map of model names, without the provider id. Each entry replaces the model name in a request with this provider’s name for the model.',
        ),
    }),
  ])
  .transform((target) => (typeof target === 'string' ? { provider: target, model_map: {} } : target));

const passthroughTargetsField = () =>
  z
    .union([createSlugField(), z.array(PassthroughTargetSchema).max(MAX_LIST_ENTRIES.routeTargets)])
    .transform((targets) => (typeof targets === 'string' ? [{ provider: targets, model_map: {} }] : targets))
    .prefault([]);

/** The providers that serve passthrough requests. */
export const PassthroughSchema = z.strictObject({
  a: passthroughTargetsField().describe(
    'Id of the provider that serves `/gateway/passthrough-a`, or a list of providers in failover order.',
  ),
  b: passthroughTargetsField().describe(
    'Id of the provider that serves `/gateway/passthrough-b`, or a list of providers in failover order.',
  ),
});

/** The settings of the IDE adapter. */
export const IdeSchema = z.strictObject({
  error_profile: z
    .boolean()
    .default(true)
    .describe(
      'Whether Floe returns provider errors with status 400. IDEs show the error message only for this status. Rate limit errors from Floe itself still have status 429.',
    ),
  freeform_tools: z
    .enum(['function', 'custom'])
    .default('function')
    .describe(
      'Whether Floe returns calls to freeform tools, whose input is plain text, as function calls (`function`) or as custom tool calls (`custom`).',
    ),
  capture: z
    .boolean()
    .default(false)
    .describe(
      'Whether the request log contains the structure of each body that an IDE sends: keys, types and lengths, but no values.',
    ),
});
