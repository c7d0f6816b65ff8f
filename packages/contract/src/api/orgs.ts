import * as z from 'zod';
import { createSlugField, createTimezoneField } from '../config/fields.ts';
import { createdKey } from './keys.ts';
import { timestamp } from './page.ts';
import { resourceSource } from './resource-source.ts';

const name = z.string().min(1).max(200).describe('Display name.');
const timezone = createTimezoneField().describe(
  'IANA time zone for budget periods, schedules, boards, days in charts, and monthly usage files, such as `Europe/Berlin`.',
);

const fields = {
  id: z.string(),
  name: z.string(),
  timezone: z
    .string()
    .describe(
      'IANA time zone for budget periods, schedules, boards, days in charts, and monthly usage files.',
    ),
  source: resourceSource.describe(
    'Where the organization is defined. An organization in `floe.yaml` can be changed only in that file.',
  ),
  created_at: timestamp,
  updated_at: timestamp
    .nullable()
    .describe('Time of the last change through the API. `null` if there was no such change.'),
  updated_by: z.string().nullable(),
};

export const orgResource = z.strictObject(fields).meta({ id: 'Org' });
export type OrgResource = z.output<typeof orgResource>;

/** The request to update an organization. Absent fields keep their values. */
export const orgPatch = z.strictObject({ name: name.optional(), timezone: timezone.optional() });

export const orgCreation = z.strictObject({
  id: createSlugField().describe(
    'Id of the organization, unique in the installation. You cannot change the id.',
  ),
  name: name.optional().describe('Display name. Defaults to the id.'),
  timezone: timezone.default('UTC'),
});

/**
 * The response to a request that creates an organization. Only this response contains the value of
 * the organization's first key.
 */
export const createdOrg = z.strictObject({ ...fields, key: createdKey }).meta({ id: 'CreatedOrg' });
