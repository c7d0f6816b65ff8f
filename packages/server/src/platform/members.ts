import { Fault } from '@floe/contract/faults';
import type { MemberRole } from '@floe/contract/roles';
import { deleteMemberRoleGrants, insertMemberRemoval } from '../store/member-role-grants.ts';
import {
  countOrgOwners,
  deleteMember,
  type MemberRow,
  type MemberWithUser,
  updateMember,
} from '../store/members.ts';
import type { DatabaseReader, DatabaseWriter } from '../store/store-interfaces.ts';
import { type InvitationRevocation, revokePendingInvitations } from './invitations.ts';
import {
  type ChangeActorAndTime,
  type MemberKeyChange,
  restrictMemberKeys,
  revokeMemberKeys,
} from './member-keys.ts';

/** Ends a user's sessions in an organization, in the transaction that removes the membership. */
export type SignOutUserInOrg = (
  writer: DatabaseWriter,
  who: { readonly orgId: string; readonly memberId: string; readonly userId: string },
) => Promise<void>;

/** Returns whether a member is the only owner of their organization. */
export async function isLastOwnerOfOrg(
  reader: DatabaseReader,
  { role, org_id }: Pick<MemberRow, 'role' | 'org_id'>,
): Promise<boolean> {
  return role === 'owner' && (await countOrgOwners(reader, org_id)) === 1;
}

/**
 * Write transactions run one at a time, so that two concurrent removals cannot remove the last two owners.
 *
 * @throws Fault `conflict` if no owner would remain
 */
async function requireAnotherOwner(writer: DatabaseWriter, row: MemberWithUser): Promise<void> {
  if (await isLastOwnerOfOrg(writer, row))
    throw new Fault('conflict', `${row.email} is the last owner. Make another member an owner first.`);
}

/** The role and team of a member. */
export interface RoleAndTeam {
  readonly role: MemberRole;
  readonly team: string | null;
}

/**
 * Changes a member's role or team. Later sign-ins do not reset the role to the one that groups
 * grant. The member's keys lose scopes that the new role cannot grant.
 *
 * @throws Fault `conflict` if no owner would remain
 */
export async function changeMemberRoleAndTeam(
  writer: DatabaseWriter,
  row: MemberWithUser,
  { role, team }: RoleAndTeam,
  stamp: ChangeActorAndTime,
): Promise<{ readonly row: MemberWithUser; readonly keys: readonly MemberKeyChange[] }> {
  if (role !== 'owner') await requireAnotherOwner(writer, row);
  const isOtherRole = role !== row.role;
  const source = isOtherRole ? 'console' : row.source;
  const columns = { role, team, source, updated_at: stamp.nowMs, updated_by: stamp.by };
  await updateMember(writer, row.org_id, row.id, columns);
  if (isOtherRole) await deleteMemberRoleGrants(writer, row.org_id, row.user_id);
  const keys = isOtherRole ? await restrictMemberKeys(writer, row, role, stamp) : [];
  return { row: { ...row, ...columns }, keys };
}

/**
 * Removes a member from an organization. Ends the member's sessions, and revokes the member's keys and earlier
 * invitations. Group mappings of the identity provider do not add the member again.
 *
 * @throws Fault `conflict` if no owner would remain
 */
export async function removeMemberFromOrg(
  writer: DatabaseWriter,
  row: MemberWithUser,
  endSessions: readonly SignOutUserInOrg[],
  stamp: ChangeActorAndTime,
): Promise<readonly (MemberKeyChange | InvitationRevocation)[]> {
  const { id, org_id, user_id, email } = row;
  await requireAnotherOwner(writer, row);
  const keys = await revokeMemberKeys(writer, row, stamp);
  for (const end of endSessions) await end(writer, { orgId: org_id, memberId: id, userId: user_id });
  await deleteMemberRoleGrants(writer, org_id, user_id);
  await deleteMember(writer, org_id, id);
  await insertMemberRemoval(writer, { org_id, user_id, removed_at: stamp.nowMs, removed_by: stamp.by });
  // The person may have joined with another method, so that an earlier link still works.
  return [...keys, ...(await revokePendingInvitations(writer, org_id, email, stamp.nowMs))];
}
