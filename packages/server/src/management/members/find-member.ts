import { Fault } from '@floe/contract/faults';
import type { Role } from '@floe/contract/roles';
import type { Actor } from '../../platform/actor.ts';
import { type MemberWithUser, memberWithUser } from '../../store/members.ts';
import type { Reader } from '../../store/ports.ts';
import { teamById } from '../../store/teams.ts';
import { actingRole, requireStepUp, roleNeeded } from '../access.ts';

/** @throws Fault `not_found`, also for the id of another org's member */
export async function existingMember(reader: Reader, orgId: string, id: string): Promise<MemberWithUser> {
  const row = await memberWithUser(reader, orgId, id);
  if (!row) throw new Fault('not_found', 'No member has this id.');
  return row;
}

/**
 * Owners are made and unmade by owners who confirmed who they are; everybody else by whoever may use the verb.
 *
 * @throws Fault `insufficient_role`, `step_up_required`
 */
export function requireOwnerFor(actor: Actor, roles: readonly (Role | string)[], nowMs: number): void {
  if (!roles.includes('owner')) return;
  if (actingRole(actor) !== 'owner') throw roleNeeded(actor, ['owner']);
  requireStepUp(actor, nowMs);
}

/** @throws Fault `invalid_request` when the org has no such team */
export async function requireTeam(
  reader: Reader,
  orgId: string,
  team: string | null | undefined,
): Promise<void> {
  if (typeof team === 'string' && !(await teamById(reader, orgId, team)))
    throw new Fault('invalid_request', `team: there is no team "${team}"; create it first`, {
      param: 'team',
    });
}
