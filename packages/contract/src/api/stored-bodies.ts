import * as z from 'zod';
import { timestamp } from './page.ts';

const storedBody = z.strictObject({
  text: z
    .string()
    .describe(
      'Text of the body: the request after policies redacted it, or the response as the client received it. A stream that Floe can parse is stored as the equivalent complete response. A truncated body ends with a note about the truncation.',
    ),
  bytes: z.int().describe('Size of the complete body, in bytes.'),
  truncated: z.boolean().describe('Whether only the first 64 KB are stored.'),
  redacted: z
    .record(z.string(), z.int())
    .describe(
      'Number of redacted values by kind. Each redacted value appears as `[redacted:<kind>]` in the text.',
    ),
});

/** The stored bodies of a request and its response. */
export const storedExchangeBodies = z
  .strictObject({
    id: z.string(),
    created_at: timestamp,
    request: storedBody
      .nullable()
      .describe('Body of the request. `null` if Floe did not read the body, or if the body is not text.'),
    answer: storedBody
      .nullable()
      .describe(
        'Body of the response. `null` if there was no body, if the body is not text, or if it is a stream that Floe cannot redact.',
      ),
  })
  .meta({ id: 'RequestBodies' });
