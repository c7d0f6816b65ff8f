import type { Team } from '@floe/contract/api/teams';
import { Fault } from '@floe/contract/faults';
import { spotOf } from '../../platform/file-place.ts';
import { teamView } from '../../platform/stored-team.ts';
import type { Reader, Writer } from '../../store/ports.ts';
import { putTeam, type TeamRow, teamById } from '../../store/teams.ts';
import type { Change, VerbContext } from '../verb.ts';

/** @throws Fault `not_found` */
export async function existingTeam(reader: Reader, orgId: string, id: string): Promise<TeamRow> {
  const row = await teamById(reader, orgId, id);
  if (!row) throw new Fault('not_found', 'No team has this id.');
  return row;
}

/** @throws Fault `managed_by_file` when it stands in floe.yaml */
export function mustBeChangeable(row: TeamRow): TeamRow {
  if (row.source !== 'file') return row;
  throw new Fault('managed_by_file', `The team "${row.id}" stands in ${spotOf(row)}; change it there.`);
}

/** Makes a team, or gives the one that is there another name and cost centre. */
export async function writeTeam(
  { orgId, actor, clock, writer }: VerbContext & { readonly writer: Writer },
  before: TeamRow | null,
  wanted: Pick<TeamRow, 'id' | 'name' | 'cost_center'>,
): Promise<{ readonly answer: Team; readonly audit: Change | 'unchanged' }> {
  if (before && before.name === wanted.name && before.cost_center === wanted.cost_center)
    return { answer: teamView(before), audit: 'unchanged' };
  const now = clock.now();
  const row: TeamRow = {
    org_id: orgId,
    ...wanted,
    source: 'console',
    source_line: null,
    created_at: before?.created_at ?? now,
    updated_at: now,
    updated_by: actor.id,
  };
  await putTeam(writer, row);
  const after = teamView(row);
  return { answer: after, audit: { subject: row.id, before: before && teamView(before), after } };
}
