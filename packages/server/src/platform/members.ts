import { Fault } from '@floe/contract/faults';
import type { Role } from '@floe/contract/roles';
import { deleteGrants, insertRemoval } from '../store/grants.ts';
import {
  changeMember,
  countOwners,
  deleteMember,
  type MemberRow,
  type MemberWithUser,
} from '../store/members.ts';
import type { Reader, Writer } from '../store/ports.ts';
import { type Edit, narrowOwnKeys, type OwnKeyChange, revokeOwnKeys } from './own-keys.ts';

/** Ends what sessions of a person in an org may still do; runs in the transaction that takes their membership. */
export type EndSessions = (
  writer: Writer,
  who: { readonly orgId: string; readonly memberId: string; readonly userId: string },
) => Promise<void>;

export async function isLastOwner(
  reader: Reader,
  { role, org_id }: Pick<MemberRow, 'role' | 'org_id'>,
): Promise<boolean> {
  return role === 'owner' && (await countOwners(reader, org_id)) === 1;
}

/**
 * Write transactions follow one another, so of two that would take the last two owners the second is refused.
 *
 * @throws Fault `conflict` when no owner would be left
 */
async function requireAnotherOwner(writer: Writer, row: MemberWithUser): Promise<void> {
  if (await isLastOwner(writer, row))
    throw new Fault('conflict', `${row.email} is the last owner. Make somebody else an owner first.`);
}

/** What a member may do, and the team they belong to. */
export interface Place {
  readonly role: Role;
  readonly team: string | null;
}

/**
 * Gives a member another role or team. Groups do not take a new role back at the next sign-in, and the member's keys lose
 * what the role cannot give.
 *
 * @throws Fault `conflict` when no owner would be left
 */
export async function placeMember(
  writer: Writer,
  row: MemberWithUser,
  { role, team }: Place,
  edit: Edit,
): Promise<{ readonly row: MemberWithUser; readonly keys: readonly OwnKeyChange[] }> {
  if (role !== 'owner') await requireAnotherOwner(writer, row);
  const isOtherRole = role !== row.role;
  const source = isOtherRole ? 'console' : row.source;
  const columns = { role, team, source, updated_at: edit.nowMs, updated_by: edit.by };
  await changeMember(writer, row.org_id, row.id, columns);
  if (isOtherRole) await deleteGrants(writer, row.org_id, row.user_id);
  const keys = isOtherRole ? await narrowOwnKeys(writer, row, role, edit) : [];
  return { row: { ...row, ...columns }, keys };
}

/**
 * Takes a member out of an org: their sessions end, their keys are revoked, and groups do not add them again.
 *
 * @throws Fault `conflict` when no owner would be left
 */
export async function removeFromOrg(
  writer: Writer,
  row: MemberWithUser,
  endSessions: readonly EndSessions[],
  edit: Edit,
): Promise<readonly OwnKeyChange[]> {
  const { id, org_id, user_id } = row;
  await requireAnotherOwner(writer, row);
  const keys = await revokeOwnKeys(writer, row, edit);
  for (const end of endSessions) await end(writer, { orgId: org_id, memberId: id, userId: user_id });
  await deleteGrants(writer, org_id, user_id);
  await deleteMember(writer, org_id, id);
  await insertRemoval(writer, { org_id, user_id, removed_at: edit.nowMs, removed_by: edit.by });
  return keys;
}
