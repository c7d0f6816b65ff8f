import * as z from 'zod';
import { timestamp } from './page.ts';

const storedBody = z.strictObject({
  text: z
    .string()
    .describe(
      'As it went over the wire, a stream as the whole answer it stands for. One that is cut ends by saying so.',
    ),
  bytes: z.int().describe('Of the whole body, as it went over the wire.'),
  truncated: z.boolean().describe('Only its first 64 KB are kept.'),
  redacted: z
    .record(z.string(), z.int())
    .describe('Values taken out before it was kept, by kind; each is `[redacted:<kind>]` in the text.'),
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
