import * as z from 'zod';
import { slug, timezone } from '../config/fields.ts';
import { createdKey, source } from './keys.ts';
import { moment } from './page.ts';

const name = z.string().min(1).max(200);

const fields = {
  id: z.string(),
  name: z.string(),
  timezone: z.string().describe('For budget periods, schedules and boards.'),
  source: source.describe('An organization of floe.yaml is changed there.'),
  created_at: moment,
  updated_at: moment.nullable().describe('Null while nobody changed it here.'),
  updated_by: z.string().nullable(),
};

export const org = z.strictObject(fields).meta({ id: 'Org' });
export type Org = z.output<typeof org>;

/** Absent fields stay. */
export const orgChange = z.strictObject({ name: name.optional(), timezone: timezone().optional() });

export const orgCreation = z.strictObject({
  id: slug().describe('Unique in the installation; never changes.'),
  name: name.optional().describe('Shown instead of the id.'),
  timezone: timezone().default('UTC'),
});

/** Answer to the creation of an org: the only one that carries the value of its first key. */
export const createdOrg = z.strictObject({ ...fields, key: createdKey }).meta({ id: 'CreatedOrg' });
