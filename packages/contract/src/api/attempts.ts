import * as z from 'zod';
import { timestamp } from './page.ts';

/** The number of billed units, by the name of the unit. */
export const billedUnitCounts = z.record(z.string(), z.number());
export const millisecondsField = z.number();

/**
 * One attempt at one target. `attempts_json` in the exchange row contains a list of these objects.
 */
export const exchangeAttempt = z.strictObject({
  n: z.int(),
  provider: z.string(),
  model: z.string(),
  credential: z.string().nullable(),
  started_at: timestamp,
  status: z.int().nullable(),
  error: z.string().nullable(),
  first_token_ms: millisecondsField.nullable(),
  duration_ms: millisecondsField,
  usage: z
    .record(z.string(), z.int())
    .optional()
    .describe(
      'Tokens of this attempt. Absent if the request had only one attempt, or if the attempt has no usage.',
    ),
  billed_units: billedUnitCounts
    .optional()
    .describe('Billed units of this attempt other than plain tokens, by name.'),
  service_tier: z
    .string()
    .optional()
    .describe(
      'Service tier of the attempt. Absent for the standard tier, or if the model has no price. If the tier has no price, the standard prices apply.',
    ),
  unpriced: z
    .array(z.string())
    .optional()
    .describe('Billed units without a price, and the service tier as `tier:<name>` if it has no price.'),
  price: z
    .strictObject({
      input: z.number(),
      output: z.number(),
      cache_read: z.number().optional(),
      cache_write: z.number().optional(),
      request: z.number().optional().describe('USD per request, in addition to the token prices.'),
      units: billedUnitCounts.optional().describe('USD per million billed units, by unit name.'),
    })
    .optional()
    .describe(
      'Prices of this attempt. Token prices are in US dollars per million tokens. Absent if the price is unknown or the attempt costs nothing.',
    ),
});
export type ExchangeAttempt = z.output<typeof exchangeAttempt>;

/**
 * One decision about an exchange and its reason. `decisions_json` in the exchange row contains a list of
 * these objects.
 */
export const exchangeDecision = z.strictObject({
  step: z.string(),
  outcome: z.string(),
  reason: z.string(),
  rule: z
    .strictObject({ kind: z.enum(['limit', 'budget']), id: z.string() })
    .optional()
    .describe('Limit or budget that rejected the request.'),
  retry_after_ms: z
    .number()
    .optional()
    .describe(
      'Time that the client must wait before it retries, in milliseconds. Floe sent the same time to the client in the response header `retry-after`, in seconds.',
    ),
});
export type ExchangeDecision = z.output<typeof exchangeDecision>;
