import * as z from 'zod';
import { emailAddress } from './email.ts';

const selectorFields = {
  email: emailAddress
    .optional()
    .describe('Email address of a member, a former member or the owner of a platform key.'),
  member_id: z.string().min(1).max(100).optional().describe('Id of a member or a former member (`mem_…`).'),
  end_user: z
    .string()
    .min(1)
    .max(512)
    .optional()
    .describe('Id of an end user, as clients send it in requests.'),
};

type SelectorFields = { readonly [Name in keyof typeof selectorFields]?: string | undefined };

const namesOnePerson = ({ email, member_id, end_user }: SelectorFields) =>
  [email, member_id, end_user].filter((value) => value !== undefined).length === 1;

const SELECTOR_PROBLEM = 'must have exactly one of email, member_id and end_user';

/**
 * The request body of `POST /api/management/people/export`. It identifies a person with exactly one of
 * three fields.
 */
export const personSelector = z.strictObject(selectorFields).refine(namesOnePerson, SELECTOR_PROBLEM);
export type PersonSelector = z.output<typeof personSelector>;

/** The request body of `POST /api/management/people/erase`: the person, and the reason for the erasure. */
export const personErasure = z
  .strictObject({
    ...selectorFields,
    reason: z
      .string()
      .trim()
      .min(1)
      .max(500)
      .describe(
        'Reason for the erasure. The audit log stores the reason, so the reason must not contain personal data.',
      ),
  })
  .refine(namesOnePerson, SELECTOR_PROBLEM);

/** The kinds of objects in the export of a person's data, in the order in which the file contains them. */
export const PERSON_RECORD_KINDS = [
  'user',
  'member',
  'member_grant',
  'removed_member',
  'identity',
  'passkey',
  'console_session',
  'invitation',
  'key',
  'saved_view',
  'budget_counter',
  'budget_alert',
  'request',
  'request_body',
  'stored_response',
  'relay_decision',
  'relay_report',
  'relay_approval',
  'relay_session',
  'audit_entry',
] as const;
export type PersonRecordKind = (typeof PERSON_RECORD_KINDS)[number];
