import * as z from 'zod';

/**
 * Where a resource is defined. Resources that a file defines are read-only. `line` is the line in
 * the file.
 */
export const resourceSource = z
  .strictObject({
    kind: z.enum(['file', 'console']),
    file: z
      .string()
      .nullable()
      .describe('Name of the file. `null` for a resource that was created through the API.'),
    line: z.int().nullable(),
  })
  .meta({ id: 'ResourceSource' });
