import type { KeyObject } from 'node:crypto';
import { createdKey, keyRotation } from '@floe/contract/api/keys';
import { idParams } from '@floe/contract/api/page';
import { Fault } from '@floe/contract/faults';
import { createId, deriveId } from '../../core/ids.ts';
import { UNROTATED_PLATFORM_KEY_COLUMNS } from '../../platform/build-platform-key.ts';
import { createPlatformKeyHint, generatePlatformKey } from '../../platform/key-format.ts';
import { hashPlatformKey } from '../../platform/keyring.ts';
import { toKeyRecord, toPlatformKeyResource } from '../../platform/stored-platform-key.ts';
import { type PlatformKeyRow, updatePlatformKey } from '../../store/platform-keys.ts';
import { defineWriteOperation, type Operation } from '../operation.ts';
import { KEY_EDITOR_ROLES, requireChangeableKey } from './key-owner.ts';
import { requireGrantableScopes } from './require-grantable-scopes.ts';
import { requirePlatformKey } from './require-platform-key.ts';

const HOUR_MS = 3_600_000;

/**
 * Defines the operation that gives a key a new value, which only the response to this request
 * contains. Limits, budgets, history, and objects that the key created at providers do not change. The
 * previous value remains valid until the overlap ends.
 */
export function defineRotateKeyOperation(pepper: KeyObject): Operation {
  return defineWriteOperation({
    name: 'keys.rotate',
    method: 'POST',
    path: '/api/management/keys/{id}/rotate',
    scope: 'management',
    roles: KEY_EDITOR_ROLES,
    summary: 'Rotate a platform key; the previous value remains valid for `overlap_hours`',
    params: idParams,
    body: keyRotation,
    answer: createdKey,
    status: 200,
    handlesIdempotency: true,
    invalidates: 'keys',
    async run({ orgId, actor, clock, writer }, { params, body, idempotencyKey }) {
      const row = await requirePlatformKey(writer, orgId, params.id);
      requireChangeableKey(row, actor);
      const now = clock.now();
      // The caller learns the new value, so it must not give them scopes that they do not have.
      requireGrantableScopes(actor, toKeyRecord(row).scopes, now);
      const rotation =
        idempotencyKey === undefined ? createId('rot', now) : deriveId('rot', `${row.id}\n${idempotencyKey}`);
      requireRotatable(row, rotation, body.overlap_hours, now);
      const key = generatePlatformKey();
      const columns = {
        hash: hashPlatformKey(pepper, key),
        ...createPlatformKeyHint(key),
        imported_from: null,
        ...(body.overlap_hours > 0
          ? previousValueColumns(row, now + body.overlap_hours * HOUR_MS)
          : UNROTATED_PLATFORM_KEY_COLUMNS),
        rotation_id: rotation,
        rotated_at: now,
        updated_at: now,
        updated_by: actor.id,
      };
      await updatePlatformKey(writer, orgId, row.id, columns);
      const after = toPlatformKeyResource({ ...row, ...columns }, now);
      return {
        answer: { ...after, key },
        audit: { subject: row.id, before: toPlatformKeyResource(row, now), after },
      };
    },
  });
}

function previousValueColumns({ hash, prefix, last4, last_used_at }: PlatformKeyRow, until: number) {
  return {
    previous_hash: hash,
    previous_prefix: prefix,
    previous_last4: last4,
    previous_until: Math.ceil(until),
    previous_last_used_at: last_used_at,
  };
}

/** @throws Fault `conflict` if the key cannot be rotated now */
function requireRotatable(row: PlatformKeyRow, rotation: string, overlapHours: number, now: number): void {
  if (row.rotation_id === rotation)
    throw new Fault(
      'conflict',
      `A request with this Idempotency-Key already rotated the key ${row.id}. The new key value was shown only once. To get another value, rotate the key again with a new Idempotency-Key.`,
      { param: 'Idempotency-Key' },
    );
  if (row.revoked_at !== null || (row.expires_at !== null && row.expires_at <= now))
    throw new Fault('conflict', `The key "${row.name}" is no longer valid. Create a new key.`);
  const until = row.previous_until ?? 0;
  if (until > now && overlapHours > 0)
    throw new Fault(
      'conflict',
      `The key cannot be rotated yet, because its previous value is still valid until ${new Date(until).toISOString()}. To invalidate that value, send POST /api/management/keys/${row.id}/end-overlap. To invalidate both values immediately, rotate the key with overlap_hours 0.`,
    );
}
