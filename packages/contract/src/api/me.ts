import * as z from 'zod';
import { createJsonValueField } from '../json-value.ts';
import { MEMBER_ROLES } from '../roles.ts';
import { platformKeyResource } from './keys.ts';
import { orgReference } from './org-reference.ts';

/** The maximum length of a member's console preferences as JSON, in characters. */
export const MAX_PREFERENCES_CHARS = 16_384;

const preferences = z
  .record(z.string().max(100), createJsonValueField())
  .describe(`Console preferences of this person. At most ${MAX_PREFERENCES_CHARS} characters as JSON.`);

const storedPreferences = preferences.meta({ id: 'ConsolePreferences' });

/** Whether the caller may use an operation. `step_up` means that the caller may use it after a step-up. */
export const operationPermission = z.union([z.boolean(), z.literal('step_up')]);
export type OperationPermission = z.output<typeof operationPermission>;

const can = z
  .record(z.string(), operationPermission)
  .describe(
    'Whether the caller may perform each operation, by operationId. `step_up` means that the operation requires a step-up first. Floe checks rules that depend on the request, such as the owner of a key, when it receives the request.',
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

/** The response of `GET /api/me`: the caller, which is a platform key or a signed-in member. */
export const meResource = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('platform_key'), org: orgReference, key: platformKeyResource, can }),
    z.strictObject({
      kind: z.literal('member'),
      org: orgReference,
      member,
      orgs: z.array(membership).describe('All organizations to which this person belongs.'),
      operator: z
        .boolean()
        .describe(
          'Whether the person is an operator. Operators can change settings that affect all organizations of the installation.',
        ),
      preferences: storedPreferences,
      can,
    }),
  ])
  .meta({ id: 'Me' });

/**
 * The request to update the caller's own account. Absent fields keep their values. `preferences` is
 * replaced as a whole.
 */
export const mePatch = z.strictObject({
  name: z.string().min(1).max(200).optional().describe('Name of this person, as other members see it.'),
  preferences: preferences
    .refine((value) => JSON.stringify(value).length <= MAX_PREFERENCES_CHARS, {
      error: `must be at most ${MAX_PREFERENCES_CHARS} characters long as JSON`,
    })
    .optional(),
});
