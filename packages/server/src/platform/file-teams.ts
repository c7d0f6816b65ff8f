import { teamStored } from '@floe/contract/api/teams';
import type { TeamConfig } from '@floe/contract/config';
import { allTeams, putTeam, type TeamRow, teamsOfOrg } from '../store/teams.ts';
import { fileKind } from './file-sync.ts';
import { removeUnusedTeam, teamView } from './stored-team.ts';

/** Teams of floe.yaml. */
export const FILE_TEAMS = fileKind({
  kind: 'teams',
  list: ({ teams }) => teams,
  stored: (reader, orgId) => (orgId === undefined ? allTeams(reader) : teamsOfOrg(reader, orgId)),
  nameOf: ({ id }: TeamConfig) => id,
  storedName: ({ id }: TeamRow) => id,
  columns: ({ config }) => ({ id: config.id, ...teamStored.parse(config) }),
  row: (columns): TeamRow => columns,
  insert: putTeam,
  update: (writer, _, __, next) => putTeam(writer, next),
  remove: removeUnusedTeam,
  isNamed: true,
  shown: teamView,
});
