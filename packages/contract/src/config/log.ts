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
      'Share of successful gateway requests and API calls that Floe logs. Floe always logs those that fail, and gateway requests whose response is incomplete.',
    ),
});

export const LogSchema = z.strictObject({
  access: AccessLogSchema.prefault({}).describe('The access log.'),
});
