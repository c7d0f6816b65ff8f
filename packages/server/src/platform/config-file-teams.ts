import { teamFieldsStoredAsIs } from '@floe/contract/api/teams';
import type { TeamConfig } from '@floe/contract/config';
import { listAllTeams, type TeamRow, upsertTeam } from '../store/teams.ts';
import { defineConfigFileResourceKind } from './config-file-resource-kind.ts';
import { deleteTeamIfUnused, toTeamResource } from './stored-team.ts';

/** The resource kind of teams in floe.yaml. */
export const CONFIG_FILE_TEAM_RESOURCE_KIND = defineConfigFileResourceKind({
  kind: 'teams',
  list: ({ teams }) => teams,
  stored: listAllTeams,
  nameOf: ({ id }: TeamConfig) => id,
  storedName: ({ id }: TeamRow) => id,
  columns: ({ config }) => ({ id: config.id, ...teamFieldsStoredAsIs.parse(config) }),
  row: (columns): TeamRow => columns,
  insert: upsertTeam,
  update: (writer, _, __, next) => upsertTeam(writer, next),
  remove: deleteTeamIfUnused,
  isReferenced: true,
  auditView: toTeamResource,
});
