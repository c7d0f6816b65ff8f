import * as z from 'zod';
import { source } from './keys.ts';

const timeouts = z.strictObject({
  connect_ms: z.int().optional(),
  headers_ms: z.int().optional(),
  first_token_ms: z.int().optional(),
  idle_ms: z.int().optional(),
  total_ms: z.int().optional(),
});

/** Where requests for a model id, a pattern or an alias go, as floe.yaml gives it. */
export const route = z
  .strictObject({
    model: z.string(),
    strategy: z.enum(['failover', 'weighted', 'least_latency']),
    targets: z.array(z.strictObject({ model: z.string(), weight: z.number() })),
    retries: z.int(),
    rescue: z.enum(['error', 'replay']),
    timeouts,
    chat_reasoning: z.enum(['strip', 'forward']).nullable().describe('Null: as the org says.'),
    source,
  })
  .meta({ id: 'Route' });

/** An upstream of the org, without its secrets. */
export const provider = z
  .strictObject({
    id: z.string(),
    kind: z.string(),
    enabled: z.boolean(),
    origin: z.string().nullable().describe('Scheme, host and port; null while it is not in use.'),
    models: z.array(z.string()),
    dialects: z.array(z.string()).describe('It speaks these itself; others are translated.'),
    credentials: z.array(z.strictObject({ name: z.string(), weight: z.number() })),
    billing: z.enum(['metered', 'free', 'seat']),
    timeouts,
    source,
  })
  .meta({ id: 'Provider' });

export const simulation = z.strictObject({
  surface: z.enum(['chat', 'responses', 'messages']).default('chat'),
  request: z.record(z.string(), z.unknown()).describe('The request body, `model` in it.'),
  key_id: z.string().optional().describe('Asked with this platform key. Absent: the caller’s own.'),
  end_user: z.string().nullable().default(null),
  metadata: z.record(z.string(), z.unknown()).nullable().default(null),
});

const step = z.strictObject({ step: z.string(), outcome: z.string(), because: z.string() });

export const simulated = z.strictObject({
  outcome: z.enum(['sent', 'refused']),
  status: z.int().describe('200, or that of the refusal.'),
  code: z.string().nullable().describe('Error code of the refusal that would be told.'),
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
    .describe('In the order they would be tried.'),
  skipped: z.array(z.string()).describe('Targets of the route that are ruled out, with the reason.'),
});
