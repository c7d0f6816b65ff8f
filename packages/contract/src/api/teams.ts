import * as z from 'zod';
import { label, slug } from '../config/fields.ts';
import { moment } from './page.ts';
import { filePlace } from './place.ts';

const COST_CENTER = 'Where its spending is booked.';
const fields = {
  name: label().describe('Shown instead of the id.'),
  cost_center: label().describe(COST_CENTER),
};

/** A team in floe.yaml. */
export const TeamSchema = z
  .strictObject({ id: slug().describe('Unique in the org.'), ...fields })
  .partial({ name: true, cost_center: true })
  .transform((team) => ({ ...team, name: team.name ?? team.id }));

const shown = { name: z.string(), cost_center: z.string().nullable() };

/** Settings whose columns have the same name and value. */
export const teamStored = z.object({ ...shown, cost_center: shown.cost_center.default(null) });

/** What a request may set; null clears. */
const settings = {
  name: fields.name.optional(),
  cost_center: fields.cost_center.nullish().describe(COST_CENTER),
};

/** A team of the org: whom keys, members and spending belong to. */
export const team = z
  .strictObject({
    id: z.string(),
    ...shown,
    source: filePlace,
    created_at: moment,
    updated_at: moment,
    updated_by: z.string(),
  })
  .meta({ id: 'Team' });
export type Team = z.output<typeof team>;

export const teamCreation = z.strictObject({
  id: slug().describe('Unique in the organization; never changes.'),
  ...settings,
});

/** Absent fields stay; null clears. */
export const teamChange = z.strictObject(settings);

/** What `GET` returned is accepted; what only answers carry is passed over. */
export const teamReplacement = z.strictObject({
  id: z.string().optional(),
  ...settings,
  source: filePlace.optional(),
  created_at: moment.optional(),
  updated_at: moment.optional(),
  updated_by: z.string().optional(),
});
