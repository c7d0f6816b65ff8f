import { team, teamCreation } from '@floe/contract/api/teams';
import { Fault } from '@floe/contract/faults';
import { teamById } from '../../store/teams.ts';
import { writeVerb } from '../verb.ts';
import { writeTeam } from './write.ts';

export const createTeam = writeVerb({
  name: 'teams.create',
  method: 'POST',
  path: '/api/management/teams',
  scope: 'management',
  summary: 'Create a team',
  body: teamCreation,
  answer: team,
  status: 201,
  changes: null,
  async run(context, { body }) {
    const { id, name = id, cost_center = null } = body;
    if (await teamById(context.writer, context.orgId, id))
      throw new Fault('conflict', `There is a team "${id}" already.`, { param: 'id' });
    return writeTeam(context, null, { id, name, cost_center });
  },
});
