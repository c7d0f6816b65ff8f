import * as z from 'zod';
import { ROUTE_FIELDS } from '../config/routing.ts';
import { orderedConfigEntryFields, positionField, readOnlyEntryFields, toWritableFields } from './entries.ts';

const timeouts = z.strictObject({
  connect_ms: z.int().optional(),
  headers_ms: z.int().optional(),
  first_token_ms: z.int().optional(),
  idle_ms: z.int().optional(),
  total_ms: z.int().optional(),
});

/** Where requests for a model id, a pattern or an alias go. */
export const routeResource = z
  .strictObject({
    id: z.string().describe('The same as `model`.'),
    model: z.string(),
    enabled: z.boolean(),
    strategy: z.enum(['failover', 'weighted', 'least_latency']),
    targets: z.array(z.strictObject({ model: z.string(), weight: z.number() })),
    retries: z.int(),
    rescue: z.enum(['error', 'replay']),
    timeouts,
    chat_reasoning: z.enum(['strip', 'forward']).nullable().describe('Null: as the org says.'),
    cache: z.enum(['on', 'off']).nullable().describe('Null: as the org says.'),
    ...orderedConfigEntryFields,
  })
  .meta({ id: 'Route' });

/** Absent fields stay, or have their default; null returns to the default. */
export const routeInput = z.strictObject({
  ...toWritableFields(ROUTE_FIELDS),
  position: positionField,
  ...readOnlyEntryFields,
});

export const routeSimulationInput = z.strictObject({
  surface: z.enum(['chat', 'responses', 'messages']).default('chat').describe('API of the request.'),
  request: z.record(z.string(), z.unknown()).describe('The request body, `model` in it.'),
  key_id: z.string().optional().describe('Asked with this platform key. Absent: the caller’s own.'),
  end_user: z.string().nullable().default(null).describe('End user of the request.'),
  metadata: z.record(z.string(), z.unknown()).nullable().default(null).describe('Metadata of the request.'),
  draft: z
    .record(z.string(), z.unknown())
    .optional()
    .describe(
      'A route as floe.yaml would have it, in the place of the one of its `model`; nothing is saved.',
    ),
  replaces: z
    .string()
    .optional()
    .describe('Id of the route that the draft replaces, when its `model` differs.'),
});

const step = z.strictObject({ step: z.string(), outcome: z.string(), because: z.string() });

export const routeSimulationResult = z.strictObject({
  outcome: z.enum(['sent', 'rejected']),
  status: z.int().describe('200, or that of the refusal.'),
  code: z.string().nullable().describe('Error code that the caller would receive.'),
  message: z.string().nullable(),
  steps: z.array(step).describe('What each step would decide and why, in order.'),
  targets: z
    .array(
      z.strictObject({
        provider: z.string(),
        model: z.string(),
        credential: z.string(),
        breaker: z.enum(['closed', 'open', 'half_open', 'ramping']),
        wait_ms: z.int().describe('Milliseconds until its breaker lets it be asked.'),
        because: z.string(),
      }),
    )
    .describe(
      'In the order they would be tried: those whose breaker keeps them away come last, for when no other is left.',
    ),
  skipped: z.array(z.string()).describe('Targets of the route that are ruled out, with the reason.'),
});
