import type { DatabaseWriter } from '../store-interfaces.ts';
import { isUserStillNeeded } from './find-person.ts';
import { buildKeyOwnerCondition, type Person, type PersonRecordCounts } from './person.ts';
import {
  listConsoleSessionsOfPerson,
  listInvitationsOfPerson,
  listMemberRemovalsOfPerson,
  listMemberRoleGrantsOfPerson,
  listPlatformKeysOfPerson,
  listSavedViewsOfPerson,
} from './person-account-rows.ts';

/**
 * Deletes the remaining data of a person who is no longer a member: invitations, views, sessions and granted roles.
 * Also deletes the account unless another organization needs it, and removes the owner from revoked keys.
 * Call it after all other steps of an erasure, because they find the rows of the person by the keys and the account.
 * @returns the number of deleted objects by kind; for keys, the number of keys whose owner was removed
 */
export async function erasePersonAccount(
  writer: DatabaseWriter,
  person: Person,
): Promise<PersonRecordCounts> {
  const { orgId, userId } = person;
  const keys = await listPlatformKeysOfPerson(writer, person);
  const views = await listSavedViewsOfPerson(writer, person);
  await writer
    .updateTable('platform_keys')
    .set({ owner: null })
    .where('org_id', '=', orgId)
    .where(buildKeyOwnerCondition(person))
    .execute();
  for (const { id } of views)
    await writer.deleteFrom('views').where('org_id', '=', orgId).where('id', '=', id).execute();
  const invitation = await deleteInvitationsOfPerson(writer, person);
  const counts = { key: keys.length, saved_view: views.length, invitation };
  return userId === null ? counts : { ...counts, ...(await eraseUser(writer, person, userId)) };
}

async function eraseUser(
  writer: DatabaseWriter,
  person: Person,
  userId: string,
): Promise<PersonRecordCounts> {
  const counts = {
    console_session: await deleteConsoleSessionsOfPerson(writer, person),
    member_grant: (await listMemberRoleGrantsOfPerson(writer, person)).length,
    removed_member: (await listMemberRemovalsOfPerson(writer, person)).length,
  };
  for (const table of ['member_grants', 'removed_members'] as const)
    await writer.deleteFrom(table).where('org_id', '=', person.orgId).where('user_id', '=', userId).execute();
  if (await isUserStillNeeded(writer, person.orgId, userId)) return counts;
  const deleted: PersonRecordCounts = {};
  for (const [table, kind] of [
    ['identities', 'identity'],
    ['passkeys', 'passkey'],
  ] as const) {
    const { numDeletedRows } = await writer
      .deleteFrom(table)
      .where('user_id', '=', userId)
      .executeTakeFirst();
    deleted[kind] = Number(numDeletedRows);
  }
  await writer.deleteFrom('sessions').where('user_id', '=', userId).execute();
  const { numDeletedRows } = await writer.deleteFrom('users').where('id', '=', userId).executeTakeFirst();
  return { ...counts, ...deleted, user: Number(numDeletedRows) };
}

/** Deletes the invitations to the person's address. Returns how many were deleted. */
export async function deleteInvitationsOfPerson(writer: DatabaseWriter, person: Person): Promise<number> {
  const invitations = await listInvitationsOfPerson(writer, person);
  for (const { id } of invitations) await writer.deleteFrom('invitations').where('id', '=', id).execute();
  return invitations.length;
}

/** Deletes the person's console sessions in the organization. Returns how many were deleted. */
export async function deleteConsoleSessionsOfPerson(writer: DatabaseWriter, person: Person): Promise<number> {
  const sessions = await listConsoleSessionsOfPerson(writer, person);
  for (const { id } of sessions) await writer.deleteFrom('sessions').where('id', '=', id).execute();
  return sessions.length;
}
