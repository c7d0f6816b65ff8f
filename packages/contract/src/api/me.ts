import * as z from 'zod';
import { ROLES } from '../roles.ts';
import { platformKey } from './keys.ts';

const org = z.strictObject({ id: z.string(), name: z.string() });

/** `GET /api/me`: who is asking, a platform key or a member signed in to the console. */
export const me = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('platform_key'), org, key: platformKey }),
    z.strictObject({
      kind: z.literal('member'),
      org,
      member: z.strictObject({
        id: z.string(),
        email: z.string(),
        role: z.enum(ROLES),
        team: z.string().nullable(),
      }),
    }),
  ])
  .meta({ id: 'Me' });
