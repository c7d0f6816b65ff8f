import * as z from 'zod';
import { createListQuerySchema, timestamp } from './page.ts';

const forcedState = z.strictObject({
  state: z.enum(['open', 'closed']),
  until: timestamp.describe('Time at which the forced state ends automatically.'),
  reason: z.string(),
  by: z
    .string()
    .describe(
      'Who forced the state: the email address of a member, or the name of a key. The member id if the member has been removed.',
    ),
});

/**
 * The breaker for one provider, credential and model. Closed breakers without recent failures are
 * not listed.
 */
export const breakerResource = z
  .strictObject({
    id: z
      .string()
      .describe(
        '`<provider>/<model>@<credential>`. The credential is `none` if the provider has no credential, and `caller` if callers send their own credentials.',
      ),
    provider: z.string(),
    model: z.string(),
    credential: z.string(),
    state: z
      .enum(['closed', 'open', 'half_open', 'ramping'])
      .describe(
        'The automatic state. While `forced` is set, `forced.state` applies instead. `half_open`: one request tests the target. `ramping`: the target receives an increasing share of the requests.',
      ),
    probe: z
      .enum(['in_flight', 'next_request'])
      .nullable()
      .describe(
        'Probe of a half-open breaker. `in_flight`: a request is testing the target. `next_request`: the next request will test the target. `null` in other states.',
      ),
    reason: z.string().describe('Reason for the state. Empty if the breaker is closed.'),
    wait_ms: z
      .int()
      .describe(
        'Milliseconds until the target can receive a request again, including the wait after a response with status 429 and the rest of a forced `open` state. 0 if there is no wait.',
      ),
    forced: forcedState
      .nullable()
      .describe('The state that a member or key forced. It takes precedence over `state`.'),
    calls: z
      .strictObject({ ok: z.int(), failed: z.int(), slow: z.int() })
      .describe(
        'Number of calls in the last 30 seconds, by result. `slow` calls are also counted as `ok`. Includes only calls from the Floe process that returns this response.',
      ),
  })
  .meta({ id: 'Breaker' });
export type BreakerResource = z.output<typeof breakerResource>;

export const breakerListQuery = createListQuerySchema(['id']);

/** The request to force a breaker open or closed, or to return it to automatic. */
export const breakerForceInput = z.strictObject({
  state: z
    .enum(['open', 'closed', 'auto'])
    .describe('State to force. `auto` returns the breaker to automatic control.'),
  expires_in_seconds: z
    .int()
    .min(1)
    .max(7 * 86_400)
    .default(3_600)
    .describe('Seconds after which the breaker returns to automatic control.'),
  reason: z
    .string()
    .min(1)
    .max(500)
    .describe('Reason for the forced state. It is recorded in the audit log and shown with the breaker.'),
});

/** A state change of a breaker, recorded by the process that observed the change. */
export const breakerHistoryEntry = z
  .strictObject({ id: z.string(), at: timestamp, state: z.string(), reason: z.string() })
  .meta({ id: 'BreakerChange' });
