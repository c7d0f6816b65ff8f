import { createListQuerySchema } from '@floe/contract/api/page';
import {
  type Team,
  teamCreation,
  teamFieldsStoredAsIs,
  teamPatch,
  teamReplacement,
  teamResource,
} from '@floe/contract/api/teams';
import { createSlugField } from '@floe/contract/config/fields';
import { Fault } from '@floe/contract/faults';
import * as z from 'zod';
import { deleteTeamIfUnused, toTeamResource } from '../../platform/stored-team.ts';
import { findTeamById, getTeamPage, type TeamRow, upsertTeam } from '../../store/teams.ts';
import { requireNotManagedByFile } from '../managed-by-file.ts';
import { hasColumnValues } from './has-column-values.ts';
import type { ResourceKind } from './resource-kind.ts';

type TeamConfigWithId = z.output<typeof teamFieldsStoredAsIs> & { readonly id: string };

const TEAM_SCHEMAS = {
  answer: teamResource,
  list: createListQuerySchema(),
  creation: teamCreation,
  change: teamPatch,
  replacement: teamReplacement,
  replaceParams: z.strictObject({ id: createSlugField() }),
};

/** The resource kind of teams. */
export const TEAM_RESOURCE_KIND: ResourceKind<TeamRow, TeamConfigWithId, Team, typeof TEAM_SCHEMAS> = {
  kind: 'teams',
  path: '/api/management/teams',
  scope: 'management',
  summaries: {
    list: 'List teams, newest first',
    create: 'Create a team',
    get: 'Read one team',
    update: 'Change the name or cost center of a team',
    replace: 'Create or replace a team by its id; accepts the body that GET returns',
    delete:
      'Remove a team; fails while a member, active key, invitation, limit or budget refers to the team; its spending remains in analytics',
  },
  schemas: TEAM_SCHEMAS,
  notFoundMessage: 'No team has this id.',
  find: findTeamById,
  getPage: ({ reader, orgId }, query) => getTeamPage(reader, { orgId, ...query }),
  toResource: toTeamResource,
  requireChangeable: (row) => requireNotManagedByFile('team', row.id, row),
  configFromCreation: (_, { body: { id, ...body } }) => ({
    id,
    ...teamFieldsStoredAsIs.parse({ name: id, ...body }),
  }),
  configFromPatch: (_, row, { body }) => ({
    id: row.id,
    ...teamFieldsStoredAsIs.parse({ ...row, ...body }),
  }),
  configFromReplacement: (_, __, id, { body }) => ({
    id,
    ...teamFieldsStoredAsIs.parse({ name: id, ...body }),
  }),
  async insert({ writer, orgId, actor, clock }, config) {
    if (await findTeamById(writer, orgId, config.id))
      throw new Fault('conflict', `The team "${config.id}" already exists. Choose another id.`, {
        param: 'id',
      });
    const now = clock.now();
    const stamps = { created_at: now, updated_at: now, updated_by: actor.id };
    const row: TeamRow = { org_id: orgId, ...config, source: 'console', source_line: null, ...stamps };
    await upsertTeam(writer, row);
    return row;
  },
  async update({ writer, actor, clock }, row, config) {
    if (hasColumnValues(row, config)) return null;
    const next = { ...row, ...config, updated_at: clock.now(), updated_by: actor.id };
    await upsertTeam(writer, next);
    return next;
  },
  remove: ({ writer, clock }, row) => deleteTeamIfUnused(writer, row, clock.now()),
};
