import * as z from 'zod';

/** An organization where others refer to it. */
export const orgReference = z.strictObject({ id: z.string(), name: z.string() }).meta({ id: 'OrgReference' });
