import { page } from '@floe/contract/api/page';
import { team, teamList } from '@floe/contract/api/teams';
import { teamView } from '../../platform/stored-team.ts';
import { teamPage } from '../../store/teams.ts';
import { readVerb } from '../verb.ts';

export const listTeams = readVerb({
  name: 'teams.list',
  method: 'GET',
  path: '/api/management/teams',
  scope: 'management',
  summary: 'List teams, newest first',
  query: teamList,
  answer: page(team),
  async run({ orgId, reader }, { query }) {
    const { rows, nextCursor } = await teamPage(reader, { orgId, ...query });
    return { data: rows.map(teamView), next_cursor: nextCursor };
  },
});
