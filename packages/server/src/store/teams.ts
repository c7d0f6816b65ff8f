import type { TeamsTable } from './member-tables.ts';
import { BY_NAME_AND_TIME, type ListRequest, type Page, pageOf } from './pages.ts';
import type { Reader, Writer } from './ports.ts';

export type TeamRow = TeamsTable;

/** Teams of an org, in the order asked for. */
export function teamPage(reader: Reader, request: ListRequest): Promise<Page<TeamRow>> {
  const rows = reader.selectFrom('teams').selectAll().where('org_id', '=', request.orgId);
  return pageOf(reader, rows, BY_NAME_AND_TIME, request);
}

export function teamsOfOrg(reader: Reader, orgId: string): Promise<TeamRow[]> {
  return reader.selectFrom('teams').selectAll().where('org_id', '=', orgId).orderBy('id').execute();
}

/** Teams of every org. */
export function allTeams(reader: Reader): Promise<TeamRow[]> {
  return reader.selectFrom('teams').selectAll().orderBy('org_id').orderBy('id').execute();
}

export function teamById(reader: Reader, orgId: string, id: string): Promise<TeamRow | undefined> {
  return reader
    .selectFrom('teams')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Adds a team, or replaces the one with its id; `created_at` stays as it was. */
export async function putTeam(writer: Writer, team: TeamRow): Promise<void> {
  const { org_id: _org, id: _id, created_at: _at, ...rest } = team;
  await writer
    .insertInto('teams')
    .values(team)
    .onConflict((conflict) => conflict.columns(['org_id', 'id']).doUpdateSet(rest))
    .execute();
}

export async function removeTeam(writer: Writer, orgId: string, id: string): Promise<void> {
  await writer.deleteFrom('teams').where('org_id', '=', orgId).where('id', '=', id).execute();
}

/** How many members, keys in use, pending invitations, limits and budgets name a team. */
export async function teamUses(
  reader: Reader,
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
      .execute(),
    rulesNaming(reader, 'limits', orgId, id),
    rulesNaming(reader, 'budgets', orgId, id),
  ]);
  return {
    members: members.length,
    keys: keys.length,
    invitations: invitations.length,
    limits,
    budgets,
  };
}

async function rulesNaming(
  reader: Reader,
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
