import { idParams } from '@floe/contract/api/page';
import { team } from '@floe/contract/api/teams';
import { teamView } from '../../platform/stored-team.ts';
import { readVerb } from '../verb.ts';
import { existingTeam } from './write.ts';

export const getTeam = readVerb({
  name: 'teams.get',
  method: 'GET',
  path: '/api/management/teams/{id}',
  scope: 'management',
  summary: 'Read one team',
  params: idParams,
  answer: team,
  run: async ({ orgId, reader }, { params }) => teamView(await existingTeam(reader, orgId, params.id)),
});
