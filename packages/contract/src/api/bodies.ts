import * as z from 'zod';
import { timestamp } from './page.ts';

const storedBody = z.strictObject({
  text: z
    .string()
    .describe(
      'The body as it was sent. A stream is stored as the equivalent complete response. A truncated body says so at its end.',
    ),
  bytes: z.int().describe('Size of the whole body as it was sent.'),
  truncated: z.boolean().describe('True when only the first 64 KB are stored.'),
  redacted: z
    .record(z.string(), z.int())
    .describe('Redacted values by kind. Each appears as `[redacted:<kind>]` in the text.'),
});

/** What a client sent and was told. */
export const requestBodies = z
  .strictObject({
    id: z.string(),
    created_at: timestamp,
    request: storedBody.nullable().describe('Null when it was not read, or is no text.'),
    answer: storedBody.nullable().describe('Null when there was none, or it is no text.'),
  })
  .meta({ id: 'RequestBodies' });
