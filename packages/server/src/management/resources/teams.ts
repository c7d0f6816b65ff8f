import { listQuery } from '@floe/contract/api/page';
import {
  type Team,
  team,
  teamChange,
  teamCreation,
  teamReplacement,
  teamStored,
} from '@floe/contract/api/teams';
import { slug } from '@floe/contract/config/fields';
import { Fault } from '@floe/contract/faults';
import * as z from 'zod';
import { removeUnusedTeam, teamView } from '../../platform/stored-team.ts';
import { putTeam, type TeamRow, teamById, teamPage } from '../../store/teams.ts';
import { mustNotBeInFile } from '../managed-by-file.ts';
import { isStored } from './is-stored.ts';
import type { ResourceKind } from './resource-kind.ts';

type Config = z.output<typeof teamStored> & { readonly id: string };

const SHAPES = {
  answer: team,
  list: listQuery(),
  creation: teamCreation,
  change: teamChange,
  replacement: teamReplacement,
  replaceParams: z.strictObject({ id: slug() }),
};

export const TEAMS: ResourceKind<TeamRow, Config, Team, typeof SHAPES> = {
  kind: 'teams',
  path: '/api/management/teams',
  scope: 'management',
  summaries: {
    list: 'List teams, newest first',
    create: 'Create a team',
    get: 'Read one team',
    update: 'Change the name or the cost centre of a team',
    replace: 'Create or replace the team with this id; what GET returned is accepted',
    delete: 'Remove a team that nothing names any more; what it spent stays in analytics',
  },
  shapes: SHAPES,
  unknown: 'No team has this id.',
  find: teamById,
  page: ({ reader, orgId }, query) => teamPage(reader, { orgId, ...query }),
  view: teamView,
  mustBeChangeable: (row) => mustNotBeInFile('team', row.id, row),
  created: (_, { body: { id, ...body } }) => ({ id, ...teamStored.parse({ name: id, ...body }) }),
  changed: (_, row, { body }) => ({ id: row.id, ...teamStored.parse({ ...row, ...body }) }),
  replaced: (_, __, id, { body }) => ({ id, ...teamStored.parse({ name: id, ...body }) }),
  async insert({ writer, orgId, actor, clock }, config) {
    if (await teamById(writer, orgId, config.id))
      throw new Fault('conflict', `There is a team "${config.id}" already.`, { param: 'id' });
    const now = clock.now();
    const stamps = { created_at: now, updated_at: now, updated_by: actor.id };
    const row: TeamRow = { org_id: orgId, ...config, source: 'console', source_line: null, ...stamps };
    await putTeam(writer, row);
    return row;
  },
  async update({ writer, actor, clock }, row, config) {
    if (isStored(row, config)) return null;
    const next = { ...row, ...config, updated_at: clock.now(), updated_by: actor.id };
    await putTeam(writer, next);
    return next;
  },
  remove: ({ writer, clock }, row) => removeUnusedTeam(writer, row, clock.now()),
};
