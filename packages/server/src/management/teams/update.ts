import { idParams } from '@floe/contract/api/page';
import { team, teamChange } from '@floe/contract/api/teams';
import { writeVerb } from '../verb.ts';
import { existingTeam, mustBeChangeable, writeTeam } from './write.ts';

export const updateTeam = writeVerb({
  name: 'teams.update',
  method: 'PATCH',
  path: '/api/management/teams/{id}',
  scope: 'management',
  summary: 'Change the name or the cost centre of a team',
  params: idParams,
  body: teamChange,
  answer: team,
  status: 200,
  changes: null,
  async run(context, { params, body }) {
    const row = mustBeChangeable(await existingTeam(context.writer, context.orgId, params.id));
    const { id } = row;
    const { name = row.name, cost_center = row.cost_center } = body;
    return writeTeam(context, row, { id, name, cost_center });
  },
});
