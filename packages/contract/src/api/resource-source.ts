import * as z from 'zod';

/**
 * Where a resource is defined: in a file, or with the API or the console (`console`). Resources that are
 * defined in a file are read-only.
 */
export const resourceSource = z
  .strictObject({
    kind: z.enum(['file', 'console']),
    file: z.string().nullable().describe('Name of the file. `null` if `kind` is `console`.'),
    line: z.int().nullable(),
  })
  .meta({ id: 'ResourceSource' });
