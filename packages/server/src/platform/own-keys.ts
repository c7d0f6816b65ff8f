import type { JsonObject } from '@floe/contract/json';
import { type Role, SCOPES_OF_ROLE } from '@floe/contract/roles';
import type { MemberWithUser } from '../store/members.ts';
import { changeKey, ownKeys, type PlatformKeyRow } from '../store/platform-keys.ts';
import type { Writer } from '../store/ports.ts';
import { holds } from './keyring.ts';
import { keyRecordOf, platformKeyOf } from './stored-key.ts';

/** Who makes a change, and when. */
export interface Edit {
  readonly by: string;
  readonly nowMs: number;
}

type Member = Pick<MemberWithUser, 'id' | 'org_id' | 'email'>;

/** A key that changed, as the audit log shows it. */
export interface OwnKeyChange {
  readonly action: 'keys.update' | 'keys.revoke';
  readonly subject: string;
  readonly before: JsonObject;
  readonly after: JsonObject;
}

/** Revokes every key of a member who leaves. Keys of floe.yaml go too, until the file is applied again. */
export async function revokeOwnKeys(writer: Writer, member: Member, edit: Edit): Promise<OwnKeyChange[]> {
  const changes: OwnKeyChange[] = [];
  for (const row of await ownKeys(writer, member.org_id, member))
    changes.push(await revoke(writer, row, edit));
  return changes;
}

/**
 * Takes from a member's keys what their new role could not give them, so that a key does not outlive the right to
 * make it; a key that is left with nothing is revoked. Keys of floe.yaml stay as they stand there.
 */
export async function narrowOwnKeys(
  writer: Writer,
  member: Member,
  role: Role,
  edit: Edit,
): Promise<OwnKeyChange[]> {
  const allowed = new Set(role === 'viewer' ? [] : SCOPES_OF_ROLE[role]);
  const changes: OwnKeyChange[] = [];
  for (const row of await ownKeys(writer, member.org_id, member)) {
    if (row.source === 'file') continue;
    const scopes = [...keyRecordOf(row).scopes];
    const left = scopes.filter((scope) => holds(allowed, scope));
    if (left.length === scopes.length) continue;
    if (left.length === 0) {
      changes.push(await revoke(writer, row, edit));
      continue;
    }
    const columns = { scopes_json: JSON.stringify(left), updated_at: edit.nowMs, updated_by: edit.by };
    await changeKey(writer, row.org_id, row.id, columns);
    changes.push(changed('keys.update', row, { ...row, ...columns }, edit.nowMs));
  }
  return changes;
}

async function revoke(writer: Writer, row: PlatformKeyRow, { by, nowMs }: Edit): Promise<OwnKeyChange> {
  const columns = { revoked_at: nowMs, updated_at: nowMs, updated_by: by };
  await changeKey(writer, row.org_id, row.id, columns);
  return changed('keys.revoke', row, { ...row, ...columns }, nowMs);
}

function changed(
  action: OwnKeyChange['action'],
  before: PlatformKeyRow,
  after: PlatformKeyRow,
  nowMs: number,
): OwnKeyChange {
  const view = (row: PlatformKeyRow) => platformKeyOf(row, nowMs);
  return { action, subject: before.id, before: view(before), after: view(after) };
}
