import type { JsonObject } from '@floe/contract/json';
import { type MemberRole, ROLE_SCOPES } from '@floe/contract/roles';
import type { MemberWithUser } from '../store/members.ts';
import { listPlatformKeysOfMember, type PlatformKeyRow, updatePlatformKey } from '../store/platform-keys.ts';
import type { DatabaseWriter } from '../store/store-interfaces.ts';
import { includesKeyScope } from './keyring.ts';
import { toKeyRecord, toPlatformKeyResource } from './stored-platform-key.ts';

/** The actor and the time of a change. */
export interface ChangeActorAndTime {
  readonly by: string;
  readonly nowMs: number;
}

type Member = Pick<MemberWithUser, 'id' | 'org_id' | 'email'>;

/** A changed key in the form that the audit log records. */
export interface MemberKeyChange {
  readonly action: 'keys.update' | 'keys.revoke';
  readonly subject: string;
  readonly before: JsonObject;
  readonly after: JsonObject;
}

/**
 * Revokes all keys of a member who is removed. Keys from floe.yaml are revoked too, until the file
 * is applied again.
 */
export async function revokeMemberKeys(
  writer: DatabaseWriter,
  member: Member,
  stamp: ChangeActorAndTime,
): Promise<MemberKeyChange[]> {
  const changes: MemberKeyChange[] = [];
  for (const row of await listPlatformKeysOfMember(writer, member.org_id, member))
    changes.push(await revokeKey(writer, row, stamp));
  return changes;
}

/**
 * Removes those scopes from a member's keys that the member's new role does not allow. Revokes keys that have
 * no scope left. Does not change keys from floe.yaml.
 */
export async function restrictMemberKeys(
  writer: DatabaseWriter,
  member: Member,
  role: MemberRole,
  stamp: ChangeActorAndTime,
): Promise<MemberKeyChange[]> {
  const allowed = new Set(role === 'viewer' ? [] : ROLE_SCOPES[role]);
  const changes: MemberKeyChange[] = [];
  for (const row of await listPlatformKeysOfMember(writer, member.org_id, member)) {
    if (row.source === 'file') continue;
    const scopes = [...toKeyRecord(row).scopes];
    const left = scopes.filter((scope) => includesKeyScope(allowed, scope));
    if (left.length === scopes.length) continue;
    if (left.length === 0) {
      changes.push(await revokeKey(writer, row, stamp));
      continue;
    }
    const columns = { scopes_json: JSON.stringify(left), updated_at: stamp.nowMs, updated_by: stamp.by };
    await updatePlatformKey(writer, row.org_id, row.id, columns);
    changes.push(toKeyChange('keys.update', row, { ...row, ...columns }, stamp.nowMs));
  }
  return changes;
}

async function revokeKey(
  writer: DatabaseWriter,
  row: PlatformKeyRow,
  { by, nowMs }: ChangeActorAndTime,
): Promise<MemberKeyChange> {
  const columns = { revoked_at: nowMs, updated_at: nowMs, updated_by: by };
  await updatePlatformKey(writer, row.org_id, row.id, columns);
  return toKeyChange('keys.revoke', row, { ...row, ...columns }, nowMs);
}

function toKeyChange(
  action: MemberKeyChange['action'],
  before: PlatformKeyRow,
  after: PlatformKeyRow,
  nowMs: number,
): MemberKeyChange {
  const view = (row: PlatformKeyRow) => toPlatformKeyResource(row, nowMs);
  return { action, subject: before.id, before: view(before), after: view(after) };
}
