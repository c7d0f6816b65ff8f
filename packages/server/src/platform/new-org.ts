import type { KeyObject } from 'node:crypto';
import { Fault } from '@floe/contract/faults';
import { SCOPES } from '@floe/contract/scopes';
import { newId } from '../core/ids.ts';
import { insertMember, type MemberRow, type MemberWithUser, memberWithUser } from '../store/members.ts';
import { insertOrg, type OrgRow, orgById } from '../store/orgs.ts';
import { insertKey, type PlatformKeyRow } from '../store/platform-keys.ts';
import type { Writer } from '../store/ports.ts';
import { makeKey } from './make-key.ts';
import type { Edit } from './own-keys.ts';

export interface WantedOrg {
  readonly id: string;
  readonly name: string;
  readonly timezone: string | undefined;
  /** Of its first owner. */
  readonly userId: string;
}

export interface NewOrg {
  readonly row: OrgRow;
  readonly owner: MemberWithUser;
  /** Its value is stored nowhere and must be shown now. */
  readonly key: { readonly key: string; readonly row: PlatformKeyRow };
}

/**
 * A further org, with its first owner and a first key that has every scope: without the key nothing but the console could
 * reach the org.
 *
 * @throws Fault `conflict` when the id is taken
 */
export async function makeOrg(
  writer: Writer,
  pepper: KeyObject,
  { id, name, timezone, userId }: WantedOrg,
  { by, nowMs }: Edit,
): Promise<NewOrg> {
  if (await orgById(writer, id))
    throw new Fault('conflict', `An organization has the id "${id}"; choose another.`, { param: 'id' });
  const row = { id, name, timezone, created_at: nowMs };
  await insertOrg(writer, row);
  const first: MemberRow = {
    id: newId('mem', nowMs),
    org_id: id,
    user_id: userId,
    team: null,
    role: 'owner',
    source: 'setup',
    created_at: nowMs,
    updated_at: nowMs,
    updated_by: by,
  };
  await insertMember(writer, first);
  const owner = await memberWithUser(writer, id, first.id);
  if (!owner) throw new Error(`the account ${userId} of the first owner is gone`);
  const key = makeKey(pepper, { orgId: id, name: 'first', scopes: SCOPES, by: first.id, nowMs });
  await insertKey(writer, key.row);
  return { row: { ...row, metadata_keys_json: null }, owner, key };
}
