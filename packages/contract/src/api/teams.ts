import * as z from 'zod';
import { createShortTextField, createSlugField } from '../config/fields.ts';
import { timestamp } from './page.ts';
import { resourceSource } from './resource-source.ts';

const COST_CENTER = 'Cost center of the team in monthly usage files.';
const fields = {
  name: createShortTextField().describe('Display name. Defaults to the id.'),
  cost_center: createShortTextField().describe(COST_CENTER),
};

/** A team in floe.yaml. */
export const TeamSchema = z
  .strictObject({ id: createSlugField().describe('Id of the team, unique in the organization.'), ...fields })
  .partial({ name: true, cost_center: true })
  .transform((team) => ({ ...team, name: team.name ?? team.id }));

const teamFields = { name: z.string(), cost_center: z.string().nullable() };

/** The team settings whose names and values are the same in the API and in the database columns. */
export const teamFieldsStoredAsIs = z.object({
  ...teamFields,
  cost_center: teamFields.cost_center.default(null),
});

/** Optional settings of a request. Null clears a setting. */
const settings = {
  name: fields.name.optional(),
  cost_center: fields.cost_center.nullish().describe(COST_CENTER),
};

/** A team of the organization. Keys, members and spending belong to it. */
export const teamResource = z
  .strictObject({
    id: z.string(),
    ...teamFields,
    source: resourceSource,
    created_at: timestamp,
    updated_at: timestamp,
    updated_by: z.string(),
  })
  .meta({ id: 'Team' });
export type Team = z.output<typeof teamResource>;

export const teamCreation = z.strictObject({
  id: createSlugField().describe('Id of the team, unique in the organization. You cannot change the id.'),
  ...settings,
});

/** The request to update a team. Absent fields keep their values. Null clears a field. */
export const teamPatch = z.strictObject({ ...settings, name: settings.name.describe('Display name.') });

/**
 * The request to replace a team. It accepts the response of `GET`. Read-only fields are ignored.
 */
export const teamReplacement = z.strictObject({
  id: z.string().optional(),
  ...settings,
  source: resourceSource.optional(),
  created_at: timestamp.optional(),
  updated_at: timestamp.optional(),
  updated_by: z.string().optional(),
});
