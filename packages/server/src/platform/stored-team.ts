import { type Team, teamFieldsStoredAsIs } from '@floe/contract/api/teams';
import { Fault } from '@floe/contract/faults';
import { revokeInvitationsOfTeam } from '../store/invitations.ts';
import type { DatabaseWriter } from '../store/store-interfaces.ts';
import { countTeamReferences, deleteTeam, type TeamRow } from '../store/teams.ts';
import { toResourceSource } from './source-location.ts';

/** Converts a team to the form that the API and the audit log use. */
export function toTeamResource(row: TeamRow): Team {
  return {
    id: row.id,
    ...teamFieldsStoredAsIs.parse(row),
    source: toResourceSource(row),
    created_at: new Date(row.created_at).toISOString(),
    updated_at: new Date(row.updated_at).toISOString(),
    updated_by: row.updated_by,
  };
}

/**
 * Deletes a team. Its spending remains in analytics.
 * @throws Fault `conflict` if another resource refers to it
 */
export async function deleteTeamIfUnused(
  writer: DatabaseWriter,
  { org_id, id }: TeamRow,
  nowMs: number,
): Promise<void> {
  const uses = Object.entries(await countTeamReferences(writer, org_id, id, nowMs));
  const named = uses.filter(([, count]) => count > 0).map(([what, count]) => `${what}: ${count}`);
  if (named.length > 0)
    throw new Fault(
      'conflict',
      `The team "${id}" is in use (${named.join(', ')}). Remove or change these resources first.`,
    );
  // Otherwise, an invitation whose creator may not invite now would become pending again if the creator may invite again.
  await revokeInvitationsOfTeam(writer, org_id, id, nowMs);
  await deleteTeam(writer, org_id, id);
}
