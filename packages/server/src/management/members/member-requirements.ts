import { Fault } from '@floe/contract/faults';
import type { MemberRole } from '@floe/contract/roles';
import type { Actor } from '../../platform/actor.ts';
import { findMemberWithUser, type MemberWithUser } from '../../store/members.ts';
import type { DatabaseReader } from '../../store/store-interfaces.ts';
import { findTeamById } from '../../store/teams.ts';
import { createInsufficientRoleFault, getEffectiveRole, requireStepUp } from '../access.ts';

/**
 * Returns the member with this id.
 * @throws Fault `not_found`, also for a member of another organization
 */
export async function requireOrgMember(
  reader: DatabaseReader,
  orgId: string,
  id: string,
): Promise<MemberWithUser> {
  const row = await findMemberWithUser(reader, orgId, id);
  if (!row) throw new Fault('not_found', 'No member has this id.');
  return row;
}

/**
 * Requires an owner with a recent step-up if the change grants or revokes the role owner. For other
 * roles, the operation's access rule is sufficient.
 *
 * @throws Fault `insufficient_role`, `step_up_required`
 */
export function requireOwnerToManageOwners(
  actor: Actor,
  roles: readonly (MemberRole | string)[],
  nowMs: number,
): void {
  if (!roles.includes('owner')) return;
  if (getEffectiveRole(actor) !== 'owner') throw createInsufficientRoleFault(actor, ['owner']);
  requireStepUp(actor, nowMs);
}

/**
 * Requires a recent step-up of a member who grants the role owner or admin, because the new owner or admin can do
 * what requires a step-up.
 * @throws Fault `step_up_required`
 */
export function requireStepUpToGrantRole(actor: Actor, role: MemberRole, nowMs: number): void {
  if (role === 'owner' || role === 'admin') requireStepUp(actor, nowMs);
}

/**
 * Requires that the organization has this team.
 * @throws Fault `invalid_request`
 */
export async function requireTeamExists(
  reader: DatabaseReader,
  orgId: string,
  team: string | null | undefined,
): Promise<void> {
  if (typeof team === 'string' && !(await findTeamById(reader, orgId, team)))
    throw new Fault(
      'invalid_request',
      `team: there is no team "${team}" in this organization. Create the team first.`,
      {
        param: 'team',
      },
    );
}
