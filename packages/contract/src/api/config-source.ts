import * as z from 'zod';

/** Where a resource is written: what stands in a file is read-only here, `line` is its place in it. */
export const configSource = z
  .strictObject({
    kind: z.enum(['file', 'console']),
    file: z
      .string()
      .nullable()
      .describe('Name of the file. `null` for a resource that was created through the API.'),
    line: z.int().nullable(),
  })
  .meta({ id: 'ResourceSource' });
