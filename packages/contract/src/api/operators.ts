import * as z from 'zod';
import { emailAddress } from './email.ts';
import { createPageSchema, timestamp } from './page.ts';

/** A person who may change settings that affect every organization in the installation. */
export const operatorResource = z
  .strictObject({
    user_id: z.string(),
    email: z.string(),
    name: z.string(),
    granted_at: timestamp,
    granted_by: z
      .string()
      .describe('Id of the member who granted the role, or `setup`, `cli` or `upgrade` if no member did.'),
  })
  .meta({ id: 'Operator' });

export const operatorList = createPageSchema(operatorResource);

/** The request body of `POST /api/management/operators`. The person must already have an account. */
export const operatorCreation = z.strictObject({
  email: emailAddress.describe('Email address of an existing account.'),
});

/** A person who was removed from the organization. Group mappings do not add them again. */
export const removedMember = z
  .strictObject({
    user_id: z.string(),
    email: z.string(),
    name: z.string(),
    removed_at: timestamp,
    removed_by: z.string().describe('Id of the member or key that removed the person.'),
  })
  .meta({ id: 'RemovedMember' });

export const removedMemberList = createPageSchema(removedMember);
