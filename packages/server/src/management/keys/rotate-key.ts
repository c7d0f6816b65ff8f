import type { KeyObject } from 'node:crypto';
import { createdKey, keyRotation } from '@floe/contract/api/keys';
import { idParams } from '@floe/contract/api/page';
import { Fault } from '@floe/contract/faults';
import { idFor, newId } from '../../core/ids.ts';
import { requireActorScope } from '../../platform/actor.ts';
import { keyHint, newKey } from '../../platform/key-format.ts';
import { hashKey } from '../../platform/keyring.ts';
import { NOT_ROTATED } from '../../platform/make-key.ts';
import { keyRecordOf, platformKeyOf } from '../../platform/stored-key.ts';
import { changeKey, type PlatformKeyRow } from '../../store/platform-keys.ts';
import { type Verb, writeVerb } from '../verb.ts';
import { existingKey } from './find-key.ts';
import { KEY_ROLES, mustBeChangeableKey } from './key-owner.ts';

const HOUR_MS = 3_600_000;

/**
 * Gives a key another value, shown this once. The key stays the same in all else: limits, budgets, what it made at
 * providers and its history go on. Its value from before works beside the new one until the overlap ends.
 */
export function rotateKey(pepper: KeyObject): Verb {
  return writeVerb({
    name: 'keys.rotate',
    method: 'POST',
    path: '/api/management/keys/{id}/rotate',
    scope: 'management',
    roles: KEY_ROLES,
    summary: 'Give a platform key another value; the one before works on for some hours',
    params: idParams,
    body: keyRotation,
    answer: createdKey,
    status: 200,
    idempotent: true,
    changes: 'keys',
    async run({ orgId, actor, clock, writer }, { params, body, idempotencyKey }) {
      const row = await existingKey(writer, orgId, params.id);
      mustBeChangeableKey(row, actor);
      // Whoever rotates a key holds its new value: it must not give them more than they have.
      for (const scope of keyRecordOf(row).scopes) requireActorScope(actor, scope);
      const now = clock.now();
      const rotation =
        idempotencyKey === undefined ? newId('rot', now) : idFor('rot', `${row.id}\n${idempotencyKey}`);
      mustBeRotatable(row, rotation, body.overlap_hours, now);
      const key = newKey();
      const columns = {
        hash: hashKey(pepper, key),
        ...keyHint(key),
        ...(body.overlap_hours > 0 ? previous(row, now + body.overlap_hours * HOUR_MS) : NOT_ROTATED),
        rotation_id: rotation,
        rotated_at: now,
        updated_at: now,
        updated_by: actor.id,
      };
      await changeKey(writer, orgId, row.id, columns);
      const after = platformKeyOf({ ...row, ...columns }, now);
      return {
        answer: { ...after, key },
        audit: { subject: row.id, before: platformKeyOf(row, now), after },
      };
    },
  });
}

function previous({ hash, prefix, last4, last_used_at }: PlatformKeyRow, until: number) {
  return {
    previous_hash: hash,
    previous_prefix: prefix,
    previous_last4: last4,
    previous_until: Math.ceil(until),
    previous_last_used_at: last_used_at,
  };
}

/** @throws Fault `conflict` */
function mustBeRotatable(row: PlatformKeyRow, rotation: string, overlapHours: number, now: number): void {
  if (row.rotation_id === rotation)
    throw new Fault('conflict', `This Idempotency-Key rotated the key ${row.id}; its value was shown once.`);
  if (row.revoked_at !== null || (row.expires_at !== null && row.expires_at <= now))
    throw new Fault('conflict', `The key "${row.name}" does not work any more; create another one.`);
  const until = row.previous_until ?? 0;
  if (until > now && overlapHours > 0)
    throw new Fault(
      'conflict',
      `The value before the last rotation works until ${new Date(until).toISOString()}. Wait for that, or rotate with overlap_hours 0, which ends both values at once.`,
    );
}
