import { createHash } from 'node:crypto';
import type { PersonSelector } from '@floe/contract/api/people';
import { Fault } from '@floe/contract/faults';
import { isJsonObject, type Json } from '@floe/contract/json';
import { findMemberByUserId, findMemberWithUser, findUserById } from '../../store/members.ts';
import {
  findUserOfCurrentOrFormerMember,
  listFormerMemberIds,
  listMembershipAuditEntries,
} from '../../store/people/find-person.ts';
import type { Person } from '../../store/people/person.ts';
import type { DatabaseReader } from '../../store/store-interfaces.ts';

/**
 * Finds the person that a request names. An email address or end user may be unknown, because requests
 * and keys may name people who were never members.
 *
 * @throws Fault `not_found` if the organization never had a member with the given id
 */
export async function resolvePerson(
  reader: DatabaseReader,
  orgId: string,
  { email, member_id, end_user: endUser }: PersonSelector,
): Promise<Person> {
  if (endUser !== undefined) return { orgId, email: null, endUser, userId: null, memberIds: [] };
  const address = email ?? (await findMemberAddress(reader, orgId, member_id ?? ''));
  if (address === undefined) throw new Fault('not_found', 'No current or former member has this id.');
  const user = await findUserOfCurrentOrFormerMember(reader, orgId, address);
  const member = user && (await findMemberByUserId(reader, orgId, user.id));
  const former = await listFormerMemberIds(reader, orgId, address);
  const ids = [member?.id, member_id, ...former].filter((id) => id !== undefined);
  return { orgId, email: address, endUser: null, userId: user?.id ?? null, memberIds: [...new Set(ids)] };
}

/**
 * Returns the id that identifies a person in the audit log: the member id, or an id that is derived
 * from the email address or end user, which the audit log must not contain.
 */
export function computePersonAuditId({ orgId, email, endUser, memberIds }: Person): string {
  const [memberId] = memberIds;
  if (memberId !== undefined) return memberId;
  const identity = email === null ? `end_user:${endUser}` : `email:${email}`;
  return `person_${createHash('sha256').update(`${orgId}:${identity}`).digest('hex').slice(0, 32)}`;
}

/** The address of a current member, or of a former one as far as the audit log or the account has it. */
async function findMemberAddress(
  reader: DatabaseReader,
  orgId: string,
  memberId: string,
): Promise<string | undefined> {
  const member = await findMemberWithUser(reader, orgId, memberId);
  if (member) return member.email;
  for (const entry of (await listMembershipAuditEntries(reader, orgId, memberId)).reverse())
    for (const json of [entry.before_json, entry.after_json]) {
      const view: Json = json === null ? null : JSON.parse(json);
      if (!isJsonObject(view)) continue;
      if (typeof view['email'] === 'string') return view['email'];
      const userId = view['user_id'];
      const user = typeof userId === 'string' ? await findUserById(reader, userId) : undefined;
      if (user) return user.email;
    }
  return undefined;
}
