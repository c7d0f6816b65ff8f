import * as z from 'zod';
import { createListQuery, timestamp } from './page.ts';

const forcedState = z.strictObject({
  state: z.enum(['open', 'closed']),
  until: timestamp.describe('The forced state ends automatically at this time.'),
  reason: z.string(),
  by: z.string().describe('Who forced it: address of a member, name of a key.'),
});

/** The breaker of one provider, credential and model. One that has nothing to say is closed and not listed. */
export const breakerResource = z
  .strictObject({
    id: z
      .string()
      .describe(
        '`<provider>/<model>@<credential>`. The credential is `none` for a provider without one, and `caller` where callers send their own.',
      ),
    provider: z.string(),
    model: z.string(),
    credential: z.string(),
    state: z
      .enum(['closed', 'open', 'half_open', 'ramping'])
      .describe(
        'The automatic state. While `forced` is set, `forced.state` applies instead. `half_open`: one request tests the target. `ramping`: traffic returns by a growing share.',
      ),
    probe: z
      .enum(['in_flight', 'next_request'])
      .nullable()
      .describe('Of a half-open breaker: the test is in flight, or the next request is the test.'),
    because: z.string().describe('Why it is in this state; empty when it is closed.'),
    wait_ms: z.int().describe('Milliseconds until it may be asked again, a rate limit’s pause included.'),
    forced: forcedState
      .nullable()
      .describe('The state that a member or key forced. It takes precedence over `state`.'),
    calls: z
      .strictObject({ ok: z.int(), failed: z.int(), slow: z.int() })
      .describe('Calls of this process in the last 30 seconds.'),
  })
  .meta({ id: 'Breaker' });
export type BreakerResource = z.output<typeof breakerResource>;

export const breakerListQuery = createListQuery(['id']);

export const breakerForceInput = z.strictObject({
  state: z.enum(['open', 'closed', 'auto']).describe('`auto` gives the breaker back to itself.'),
  expires_in_seconds: z
    .int()
    .min(1)
    .max(7 * 86_400)
    .default(3_600)
    .describe('After so long the breaker is its own again.'),
  reason: z.string().min(1).max(500).describe('Recorded in the audit log and shown with the breaker.'),
});

/** A change of a breaker's state, as the process that saw it wrote it down. */
export const breakerHistoryEntry = z
  .strictObject({ id: z.string(), at: timestamp, state: z.string(), because: z.string() })
  .meta({ id: 'BreakerChange' });
