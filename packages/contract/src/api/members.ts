import * as z from 'zod';
import { createSlugField } from '../config/fields.ts';
import { MEMBER_ROLES } from '../roles.ts';
import { emailAddress } from './email.ts';
import { createListQuerySchema, timestamp } from './page.ts';

const role = z.enum(MEMBER_ROLES);
const roleField = role.describe('Role of the member, which determines what the member may do.');
const team = createSlugField().nullable().describe('Team of the member. `null` if the member has no team.');

/** A person who belongs to the organization. */
export const memberResource = z
  .strictObject({
    id: z.string(),
    user_id: z.string(),
    email: z.string(),
    name: z.string(),
    role,
    team: z.string().nullable(),
    source: z
      .enum(['console', 'oidc', 'setup'])
      .describe(
        'How the membership or its role was last set. `console`: with an invitation, or by a member or platform key that changed the role. `oidc`: by a group mapping, which sets the role at each sign-in. `setup`: with an owner link, or when the organization was created.',
      ),
    created_at: timestamp,
    updated_at: timestamp,
    updated_by: z.string(),
  })
  .meta({ id: 'Member' });
export type Member = z.output<typeof memberResource>;

export const memberListQuery = createListQuerySchema().extend({
  role: role.optional().describe('Only members with this role.'),
  team: z.string().min(1).max(100).optional().describe('Only members of this team.'),
});

/** The request to update a member. Absent fields keep their values. Null clears the team. */
export const memberPatch = z.strictObject({ role: roleField.optional(), team: team.optional() });

const invitationFields = {
  id: z.string(),
  email: z.string(),
  role,
  team: z.string().nullable(),
  status: z.enum(['pending', 'accepted', 'expired', 'revoked']),
  created_at: timestamp,
  created_by: z.string(),
  expires_at: timestamp,
  accepted_at: timestamp.nullable(),
  revoked_at: timestamp.nullable(),
};

/** An invitation. Only the response to the create request contains the link. */
export const invitationResource = z.strictObject(invitationFields).meta({ id: 'Invitation' });
export type InvitationResource = z.output<typeof invitationResource>;

/** The response to a request that creates an invitation. Only this response contains the link. */
export const createdInvitation = z
  .strictObject({
    ...invitationFields,
    link: z
      .string()
      .describe('One-time URL for accepting the invitation. Only this response contains the URL.'),
    email_status: z
      .enum(['off', 'sent', 'failed'])
      .describe(
        'Whether the mail server accepted the invitation email. `off` means that `smtp.url` is not set.',
      ),
  })
  .meta({ id: 'CreatedInvitation' });

export const invitationCreation = z.strictObject({
  email: emailAddress.describe('Email address that the invitation is sent to.'),
  role: roleField.default('member'),
  team: team.optional(),
  expires_in_days: z.int().min(1).max(30).default(7).describe('Days until the invitation expires.'),
});

export const invitationListQuery = createListQuerySchema().extend({
  status: z
    .enum(['pending', 'accepted', 'expired', 'revoked'])
    .optional()
    .describe('Only invitations with this status.'),
});
