import * as z from 'zod';
import { slug } from '../config/fields.ts';
import { source } from './keys.ts';
import { moment } from './page.ts';

const name = z.string().min(1).max(200);
const costCenter = z.string().min(1).max(200).nullable().describe('Where its spending is booked.');

/** A team of the org: whom keys, members and spending belong to. */
export const team = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    cost_center: z.string().nullable(),
    source,
    created_at: moment,
    updated_at: moment,
    updated_by: z.string(),
  })
  .meta({ id: 'Team' });
export type Team = z.output<typeof team>;

export const teamCreation = z.strictObject({
  id: slug().describe('Unique in the organization; never changes.'),
  name: name.optional().describe('Shown instead of the id.'),
  cost_center: costCenter.optional(),
});

/** Absent fields stay; null clears. */
export const teamChange = z.strictObject({ name: name.optional(), cost_center: costCenter.optional() });

/** What `GET` returned is accepted; what only answers carry is passed over. */
export const teamReplacement = z.strictObject({
  id: z.string().optional(),
  name: name.optional(),
  cost_center: costCenter.optional(),
  source: source.optional(),
  created_at: moment.optional(),
  updated_at: moment.optional(),
  updated_by: z.string().optional(),
});
