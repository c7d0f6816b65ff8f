import { team, teamReplacement } from '@floe/contract/api/teams';
import { slug } from '@floe/contract/config/fields';
import * as z from 'zod';
import { teamById } from '../../store/teams.ts';
import { writeVerb } from '../verb.ts';
import { mustBeChangeable, writeTeam } from './write.ts';

export const putTeam = writeVerb({
  name: 'teams.replace',
  method: 'PUT',
  path: '/api/management/teams/{id}',
  scope: 'management',
  summary: 'Create or replace the team with this id; what GET returned is accepted',
  params: z.strictObject({ id: slug() }),
  body: teamReplacement,
  answer: team,
  status: 200,
  changes: null,
  async run(context, { params: { id }, body }) {
    const row = await teamById(context.writer, context.orgId, id);
    if (row) mustBeChangeable(row);
    return writeTeam(context, row ?? null, {
      id,
      name: body.name ?? id,
      cost_center: body.cost_center ?? null,
    });
  },
});
