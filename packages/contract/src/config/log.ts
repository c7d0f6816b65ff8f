import * as z from 'zod';

const AccessLogSchema = z.strictObject({
  enabled: z
    .boolean()
    .default(true)
    .describe('Whether Floe logs one line for each gateway request and API call, at the level `info`.'),
  sample: z
    .number()
    .min(0)
    .max(1)
    .default(1)
    .describe(
      'Fraction of successful gateway requests and API calls to log, from 0 to 1. Floe always logs failed requests and calls, and gateway requests with an incomplete response.',
    ),
});

export const LogSchema = z.strictObject({
  access: AccessLogSchema.prefault({}).describe('The access log.'),
});
