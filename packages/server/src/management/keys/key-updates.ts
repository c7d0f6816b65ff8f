import { keyFieldsStoredAsIs, type keyPatch } from '@floe/contract/api/keys';
import type { KeyScope } from '@floe/contract/scopes';
import type * as z from 'zod';
import { toKeyRecord } from '../../platform/stored-platform-key.ts';
import { type PlatformKeyRow, type PlatformKeyUpdate, updatePlatformKey } from '../../store/platform-keys.ts';
import { requireTeamExists } from '../members/member-requirements.ts';
import type { WriteOperationContext } from '../operation-definition.ts';
import { requireOwnTeamAndOwner } from './key-owner.ts';
import { requireFreeKeyName } from './require-free-key-name.ts';
import { requireGrantableScopes } from './require-grantable-scopes.ts';

/**
 * Returns the key columns that a change sets. Absent fields keep their values. Null clears a field.
 * The caller must have each scope that the change adds.
 *
 * @throws Fault `invalid_request`, `conflict`, `insufficient_scope`, `insufficient_role`, `step_up_required`
 */
export async function buildKeyUpdate(
  { orgId, actor, clock, writer }: WriteOperationContext,
  row: PlatformKeyRow,
  body: z.output<typeof keyPatch>,
): Promise<PlatformKeyUpdate> {
  const { name = row.name } = body;
  if (name !== row.name || becomesActive(row, body, clock.now()))
    await requireFreeKeyName(writer, orgId, name, clock.now());
  if (body.team !== undefined && body.team !== row.team) await requireTeamExists(writer, orgId, body.team);
  requireOwnTeamAndOwner(actor, {
    team: body.team === row.team ? undefined : body.team,
    owner: body.owner === row.owner ? undefined : body.owner,
  });
  const had: ReadonlySet<KeyScope> = toKeyRecord(row).scopes;
  const added = (body.scopes ?? []).filter((scope) => !had.has(scope));
  requireGrantableScopes(actor, added, clock.now());
  return toUpdatedColumns(row, body);
}

/**
 * Updates columns of a key and returns the updated row. Returns null if the key already has these
 * values.
 */
export async function updateKeyIfChanged(
  { orgId, actor, clock, writer }: WriteOperationContext,
  row: PlatformKeyRow,
  columns: PlatformKeyUpdate,
): Promise<PlatformKeyRow | null> {
  const stored: Readonly<Record<string, unknown>> = { ...row };
  if (Object.entries(columns).every(([column, value]) => (stored[column] ?? null) === value)) return null;
  const change = { ...columns, updated_at: clock.now(), updated_by: actor.id };
  await updatePlatformKey(writer, orgId, row.id, change);
  return { ...row, ...change };
}

/** Whether an expired key, whose name may belong to another key by now, becomes valid again. */
function becomesActive(
  { revoked_at, expires_at }: PlatformKeyRow,
  { expires_at: next }: z.output<typeof keyPatch>,
  nowMs: number,
): boolean {
  const isExpired = revoked_at === null && expires_at !== null && expires_at <= nowMs;
  return isExpired && next !== undefined && (next === null || Date.parse(next) > nowMs);
}

function toUpdatedColumns(row: PlatformKeyRow, body: z.output<typeof keyPatch>): PlatformKeyUpdate {
  return {
    ...keyFieldsStoredAsIs.parse({ ...row, ...body }),
    ...(body.scopes !== undefined && { scopes_json: JSON.stringify(body.scopes) }),
    ...(body.models !== undefined && { models_json: body.models && JSON.stringify(body.models) }),
    ...(body.paths !== undefined && { paths_json: body.paths?.length ? JSON.stringify(body.paths) : null }),
    // A timestamp in the past ends the key now.
    ...(body.expires_at !== undefined && {
      expires_at: body.expires_at === null ? null : Date.parse(body.expires_at),
    }),
  };
}
