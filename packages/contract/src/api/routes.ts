import * as z from 'zod';
import { ROUTE_FIELDS } from '../config/routing.ts';
import {
  orderedResourceMetadataFields,
  positionField,
  readOnlyMetadataFields,
  toWritableFields,
} from './resource-fields.ts';

const timeouts = z.strictObject({
  connect_ms: z.int().optional(),
  headers_ms: z.int().optional(),
  first_token_ms: z.int().optional(),
  idle_ms: z.int().optional(),
  total_ms: z.int().optional(),
});

/** A route, which maps requests for a model id, a pattern or an alias to targets. */
export const routeResource = z
  .strictObject({
    id: z.string().describe('Id of the route. Equal to `model`.'),
    model: z.string(),
    enabled: z.boolean(),
    strategy: z.enum(['failover', 'weighted', 'least_latency']),
    targets: z.array(z.strictObject({ model: z.string(), weight: z.number() })),
    retries: z.int(),
    rescue: z.enum(['error', 'replay']),
    timeouts,
    chat_reasoning: z
      .enum(['strip', 'forward'])
      .nullable()
      .describe(
        'Whether Chat Completions responses contain reasoning text. `null` means the setting of the organization.',
      ),
    cache: z
      .enum(['on', 'off'])
      .nullable()
      .describe('Whether the route uses the response cache. `null` means the setting of the organization.'),
    ...orderedResourceMetadataFields,
  })
  .meta({ id: 'Route' });

/**
 * The request to create, update or replace a route. In an update, absent fields keep their values;
 * otherwise, they get their defaults. Null resets a field to its default.
 */
export const routeInput = z.strictObject({
  ...toWritableFields(ROUTE_FIELDS),
  position: positionField,
  ...readOnlyMetadataFields,
});

/** The hypothetical request whose routing is simulated. */
export const routeSimulationInput = z.strictObject({
  surface: z.enum(['chat', 'responses', 'messages']).default('chat').describe('API of the request.'),
  request: z.record(z.string(), z.unknown()).describe('Request body, including `model`.'),
  key_id: z
    .string()
    .optional()
    .describe(
      'Id of the platform key with which the request is simulated. Defaults to the key of the caller. For members, the default is a hypothetical key that may use all models.',
    ),
  end_user: z.string().nullable().default(null).describe('End user of the request.'),
  metadata: z.record(z.string(), z.unknown()).nullable().default(null).describe('Metadata of the request.'),
  draft: z
    .record(z.string(), z.unknown())
    .optional()
    .describe(
      'Draft route in `floe.yaml` format. The draft replaces the route with the same `model` in the simulation. Floe does not save the draft.',
    ),
  replaces: z
    .string()
    .optional()
    .describe(
      'Id of the route that the draft replaces. Set this field if the draft has a different `model` than the route.',
    ),
});

const step = z.strictObject({ step: z.string(), outcome: z.string(), reason: z.string() });

/** How a request would be routed, with the reason for each step. */
export const routeSimulationResult = z.strictObject({
  outcome: z.enum(['sent', 'rejected']),
  status: z.int().describe('HTTP status: 200, or the status of the error.'),
  code: z.string().nullable().describe('Error code that the caller would receive.'),
  message: z.string().nullable(),
  steps: z.array(step).describe('Steps of the routing decision in order, each with its result and reason.'),
  targets: z
    .array(
      z.strictObject({
        provider: z.string(),
        model: z.string(),
        credential: z.string(),
        breaker: z.enum(['closed', 'open', 'half_open', 'ramping']),
        wait_ms: z.int().describe('Milliseconds until the target can receive a request again.'),
        reason: z.string(),
      }),
    )
    .describe(
      'Targets in the order in which Floe would try them. Targets with an open breaker, and targets that must wait after a response with status 429, are last. Floe uses these targets only if no other target is left.',
    ),
  skipped: z.array(z.string()).describe('Targets of the route that Floe cannot use, each with the reason.'),
});
