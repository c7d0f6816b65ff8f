import { Fault } from '@floe/contract/faults';
import type { Role } from '@floe/contract/roles';
import type { Actor } from '../../platform/actor.ts';
import { countOwners, type MemberWithUser, memberWithUser } from '../../store/members.ts';
import type { Reader, Writer } from '../../store/ports.ts';
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

/**
 * Write transactions follow one another, so of two that would take the last two owners the second is refused.
 *
 * @throws Fault `conflict` when no owner would be left
 */
export async function requireAnotherOwner(writer: Writer, row: MemberWithUser): Promise<void> {
  if (row.role === 'owner' && (await countOwners(writer, row.org_id)) === 1)
    throw new Fault('conflict', `${row.email} is the last owner. Make somebody else an owner first.`);
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
