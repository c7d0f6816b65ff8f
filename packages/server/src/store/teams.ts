import { CREATOR_MAY_INVITE_CONDITION } from './invitations.ts';
import type { TeamsTable } from './member-tables.ts';
import { getResourceListPage, type ListRequest, RESOURCE_LIST_COLUMNS, type RowPage } from './pagination.ts';
import type { DatabaseReader, DatabaseWriter } from './store-interfaces.ts';

export type TeamRow = TeamsTable;

/** Returns a page of an organization's teams in the requested order. */
export function getTeamPage(reader: DatabaseReader, request: ListRequest): Promise<RowPage<TeamRow>> {
  const rows = reader.selectFrom('teams').selectAll().where('org_id', '=', request.orgId);
  return getResourceListPage(reader, rows, RESOURCE_LIST_COLUMNS, request);
}

export function listTeamsOfOrg(reader: DatabaseReader, orgId: string): Promise<TeamRow[]> {
  return reader.selectFrom('teams').selectAll().where('org_id', '=', orgId).orderBy('id').execute();
}

/** Returns the teams of the organizations in `orgIds`, or of all organizations if it is undefined. */
export function listAllTeams(reader: DatabaseReader, orgIds?: readonly string[]): Promise<TeamRow[]> {
  let query = reader.selectFrom('teams').selectAll();
  if (orgIds !== undefined) query = query.where('org_id', 'in', orgIds);
  return query.orderBy('org_id').orderBy('id').execute();
}

export function findTeamById(
  reader: DatabaseReader,
  orgId: string,
  id: string,
): Promise<TeamRow | undefined> {
  return reader
    .selectFrom('teams')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Inserts a team, or replaces the one with the same id but keeps its `created_at`. */
export async function upsertTeam(writer: DatabaseWriter, team: TeamRow): Promise<void> {
  const { org_id: _org, id: _id, created_at: _at, ...rest } = team;
  await writer
    .insertInto('teams')
    .values(team)
    .onConflict((conflict) => conflict.columns(['org_id', 'id']).doUpdateSet(rest))
    .execute();
}

export async function deleteTeam(writer: DatabaseWriter, orgId: string, id: string): Promise<void> {
  await writer.deleteFrom('teams').where('org_id', '=', orgId).where('id', '=', id).execute();
}

/**
 * Returns the number of members, active keys, pending invitations, limits and budgets that refer to
 * a team.
 */
export async function countTeamReferences(
  reader: DatabaseReader,
  orgId: string,
  id: string,
  nowMs: number,
): Promise<Readonly<Record<'members' | 'keys' | 'invitations' | 'limits' | 'budgets', number>>> {
  const [members, keys, invitations, limits, budgets] = await Promise.all([
    reader.selectFrom('members').select('id').where('org_id', '=', orgId).where('team', '=', id).execute(),
    reader
      .selectFrom('platform_keys')
      .select('id')
      .where('org_id', '=', orgId)
      .where('team', '=', id)
      .where('revoked_at', 'is', null)
      .where(({ eb, or }) => or([eb('expires_at', 'is', null), eb('expires_at', '>', nowMs)]))
      .execute(),
    reader
      .selectFrom('invitations')
      .select('id')
      .where('org_id', '=', orgId)
      .where('team', '=', id)
      .where('accepted_at', 'is', null)
      .where('revoked_at', 'is', null)
      .where('expires_at', '>', nowMs)
      .where(CREATOR_MAY_INVITE_CONDITION)
      .execute(),
    countRulesNamingTeam(reader, 'limits', orgId, id),
    countRulesNamingTeam(reader, 'budgets', orgId, id),
  ]);
  return {
    members: members.length,
    keys: keys.length,
    invitations: invitations.length,
    limits,
    budgets,
  };
}

async function countRulesNamingTeam(
  reader: DatabaseReader,
  table: 'limits' | 'budgets',
  orgId: string,
  team: string,
): Promise<number> {
  const rows = await reader.selectFrom(table).select('rule_json').where('org_id', '=', orgId).execute();
  return rows.filter(({ rule_json }) => {
    const rule: unknown = JSON.parse(rule_json);
    return typeof rule === 'object' && rule !== null && 'team' in rule && rule.team === team;
  }).length;
}
