import { Fault } from '@floe/contract/faults';
import type { MemberRole } from '@floe/contract/roles';
import { deleteMemberGrants, insertMemberRemoval } from '../store/member-grants.ts';
import {
  countOwners,
  deleteMember,
  type MemberRow,
  type MemberWithUser,
  updateMembership,
} from '../store/members.ts';
import type { DatabaseReader, DatabaseWriter } from '../store/ports.ts';
import {
  type ChangeStamp,
  type MemberKeyChange,
  restrictMemberKeys,
  revokeMemberKeys,
} from './member-keys.ts';

/** Ends what sessions of a person in an org may still do; runs in the transaction that takes their membership. */
export type EndSessions = (
  writer: DatabaseWriter,
  who: { readonly orgId: string; readonly memberId: string; readonly userId: string },
) => Promise<void>;

export async function isLastOwner(
  reader: DatabaseReader,
  { role, org_id }: Pick<MemberRow, 'role' | 'org_id'>,
): Promise<boolean> {
  return role === 'owner' && (await countOwners(reader, org_id)) === 1;
}

/**
 * Write transactions follow one another, so of two that would take the last two owners the second is refused.
 *
 * @throws Fault `conflict` when no owner would be left
 */
async function requireAnotherOwner(writer: DatabaseWriter, row: MemberWithUser): Promise<void> {
  if (await isLastOwner(writer, row))
    throw new Fault('conflict', `${row.email} is the last owner. Make another member an owner first.`);
}

/** What a member may do, and the team they belong to. */
export interface RoleAndTeam {
  readonly role: MemberRole;
  readonly team: string | null;
}

/**
 * Gives a member another role or team. Groups do not take a new role back at the next sign-in, and the member's keys lose
 * what the role cannot give.
 *
 * @throws Fault `conflict` when no owner would be left
 */
export async function changeMemberRole(
  writer: DatabaseWriter,
  row: MemberWithUser,
  { role, team }: RoleAndTeam,
  stamp: ChangeStamp,
): Promise<{ readonly row: MemberWithUser; readonly keys: readonly MemberKeyChange[] }> {
  if (role !== 'owner') await requireAnotherOwner(writer, row);
  const isOtherRole = role !== row.role;
  const source = isOtherRole ? 'console' : row.source;
  const columns = { role, team, source, updated_at: stamp.nowMs, updated_by: stamp.by };
  await updateMembership(writer, row.org_id, row.id, columns);
  if (isOtherRole) await deleteMemberGrants(writer, row.org_id, row.user_id);
  const keys = isOtherRole ? await restrictMemberKeys(writer, row, role, stamp) : [];
  return { row: { ...row, ...columns }, keys };
}

/**
 * Takes a member out of an org: their sessions end, their keys are revoked, and groups do not add them again.
 *
 * @throws Fault `conflict` when no owner would be left
 */
export async function removeMemberFromOrg(
  writer: DatabaseWriter,
  row: MemberWithUser,
  endSessions: readonly EndSessions[],
  stamp: ChangeStamp,
): Promise<readonly MemberKeyChange[]> {
  const { id, org_id, user_id } = row;
  await requireAnotherOwner(writer, row);
  const keys = await revokeMemberKeys(writer, row, stamp);
  for (const end of endSessions) await end(writer, { orgId: org_id, memberId: id, userId: user_id });
  await deleteMemberGrants(writer, org_id, user_id);
  await deleteMember(writer, org_id, id);
  await insertMemberRemoval(writer, { org_id, user_id, removed_at: stamp.nowMs, removed_by: stamp.by });
  return keys;
}
