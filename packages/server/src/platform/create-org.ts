import type { KeyObject } from 'node:crypto';
import { Fault } from '@floe/contract/faults';
import { KEY_SCOPES } from '@floe/contract/scopes';
import { createId } from '../core/ids.ts';
import { findMemberWithUser, insertMember, type MemberRow, type MemberWithUser } from '../store/members.ts';
import { findOrgById, insertOrg, type OrgRow } from '../store/orgs.ts';
import { insertPlatformKey, type PlatformKeyRow } from '../store/platform-keys.ts';
import type { DatabaseWriter } from '../store/store-interfaces.ts';
import { buildPlatformKey } from './build-platform-key.ts';
import type { ChangeActorAndTime } from './member-keys.ts';

/** The settings of a new organization. */
export interface NewOrg {
  readonly id: string;
  readonly name: string;
  readonly timezone: string | undefined;
  /** Id of the first owner. */
  readonly userId: string;
}

/** A new organization with its first owner and its first platform key. */
export interface CreatedOrg {
  readonly row: OrgRow;
  readonly owner: MemberWithUser;
  /** The key is not stored and must be shown now. */
  readonly key: { readonly key: string; readonly row: PlatformKeyRow };
}

/**
 * Creates an organization with its first owner and a key with all scopes. Without the key, the
 * organization would be accessible only in the console.
 *
 * @throws Fault `conflict` if the id is already in use
 */
export async function createOrgWithOwner(
  writer: DatabaseWriter,
  pepper: KeyObject,
  { id, name, timezone, userId }: NewOrg,
  { by, nowMs }: ChangeActorAndTime,
): Promise<CreatedOrg> {
  if (await findOrgById(writer, id))
    throw new Fault('conflict', `The organization id "${id}" is already in use. Choose another id.`, {
      param: 'id',
    });
  const row = { id, name, timezone, created_at: nowMs };
  await insertOrg(writer, row);
  const first: MemberRow = {
    id: createId('mem', nowMs),
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
  const owner = await findMemberWithUser(writer, id, first.id);
  if (!owner) throw new Error(`the account ${userId} of the first owner no longer exists`);
  const key = buildPlatformKey(pepper, {
    orgId: id,
    name: 'first',
    scopes: KEY_SCOPES,
    by: first.id,
    nowMs,
  });
  await insertPlatformKey(writer, key.row);
  return { row: { ...row, metadata_keys_json: null }, owner, key };
}
