import * as z from 'zod';

/** The id and name of an organization that another resource refers to. */
export const orgReference = z.strictObject({ id: z.string(), name: z.string() }).meta({ id: 'OrgReference' });
