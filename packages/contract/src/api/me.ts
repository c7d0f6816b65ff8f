import * as z from 'zod';
import { jsonValueField } from '../json-value.ts';
import { MEMBER_ROLES } from '../roles.ts';
import { platformKey } from './keys.ts';
import { orgReference } from './org-reference.ts';

/** What the console remembers for a person, as long as JSON text at most. */
export const MAX_PREFERENCES_CHARS = 16_384;

const preferences = z
  .record(z.string().max(100), jsonValueField())
  .describe(`Console preferences of this person. At most ${MAX_PREFERENCES_CHARS} characters as JSON.`);

const storedPreferences = preferences.meta({ id: 'ConsolePreferences' });

/** Whether who asks may do what a verb does: `step_up` after signing in again. */
export const permission = z.union([z.boolean(), z.literal('step_up')]);
export type Permission = z.output<typeof permission>;

const can = z
  .record(z.string(), permission)
  .describe(
    'Whether the caller may perform each operation, by operationId. `step_up` means after step-up. Floe checks rules that depend on the request, such as the owner of a key, when it receives the request.',
  )
  .meta({ id: 'Permissions' });

const member = z
  .strictObject({
    id: z.string(),
    user_id: z.string(),
    email: z.string(),
    name: z.string(),
    role: z.enum(MEMBER_ROLES),
    team: z.string().nullable(),
  })
  .meta({ id: 'SignedInMember' });

const membership = orgReference
  .extend({ role: z.enum(MEMBER_ROLES), member_id: z.string() })
  .meta({ id: 'OrgMembership' });

/** `GET /api/me`: who is asking, a platform key or a member signed in to the console. */
export const meResource = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('platform_key'), org: orgReference, key: platformKey, can }),
    z.strictObject({
      kind: z.literal('member'),
      org: orgReference,
      member,
      orgs: z.array(membership).describe('All organizations to which this person belongs.'),
      operator: z
        .boolean()
        .describe(
          'Whether the person is an operator, who may change what affects all organizations of the installation.',
        ),
      preferences: storedPreferences,
      can,
    }),
  ])
  .meta({ id: 'Me' });

/** Absent fields stay; `preferences` is replaced whole. */
export const mePatch = z.strictObject({
  name: z.string().min(1).max(200).optional().describe('Your name, as other members see it.'),
  preferences: preferences
    .refine((value) => JSON.stringify(value).length <= MAX_PREFERENCES_CHARS, {
      error: `must have at most ${MAX_PREFERENCES_CHARS} characters as JSON`,
    })
    .optional(),
});
