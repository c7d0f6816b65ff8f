import type { KeyObject } from 'node:crypto';
import { createdKey, keyCreation } from '@floe/contract/api/keys';
import { Fault } from '@floe/contract/faults';
import { idFor, newId } from '../../core/ids.ts';
import { requireActorScope } from '../../platform/actor.ts';
import { keyHint, newKey } from '../../platform/key-format.ts';
import { hashKey } from '../../platform/keyring.ts';
import { platformKeyOf } from '../../platform/stored-key.ts';
import { insertKey, keyById, type PlatformKeyRow } from '../../store/platform-keys.ts';
import { type Verb, writeVerb } from '../verb.ts';
import { mustBeFree } from './name-in-use.ts';

/**
 * Creates a platform key and shows it, this once. A repeated `Idempotency-Key` therefore cannot be answered
 * with the first answer: it is a 409 that names the first key.
 */
export function createKey(pepper: KeyObject): Verb {
  return writeVerb({
    name: 'keys.create',
    method: 'POST',
    path: '/api/management/keys',
    scope: 'management',
    summary: 'Create a platform key',
    body: keyCreation,
    answer: createdKey,
    status: 201,
    idempotent: true,
    changes: 'keys',
    async run({ orgId, actor, clock, writer }, { body, idempotencyKey }) {
      for (const scope of body.scopes) requireActorScope(actor, scope);
      const now = clock.now();
      const expiresAt = body.expires_at ? Date.parse(body.expires_at) : null;
      if (expiresAt !== null && expiresAt <= now)
        throw new Fault('invalid_request', 'expires_at: is in the past', { param: 'expires_at' });
      const id =
        idempotencyKey === undefined ? newId('key', now) : idFor('key', `${orgId}\n${idempotencyKey}`);
      if (idempotencyKey !== undefined && (await keyById(writer, orgId, id)))
        throw new Fault('conflict', `This Idempotency-Key made the key ${id}; its value was shown once.`);
      await mustBeFree(writer, orgId, body.name, now);
      const key = newKey();
      const row: PlatformKeyRow = {
        id,
        org_id: orgId,
        name: body.name,
        hash: hashKey(pepper, key),
        ...keyHint(key),
        scopes_json: JSON.stringify(body.scopes),
        models_json: body.models ? JSON.stringify(body.models) : null,
        paths_json: body.paths?.length ? JSON.stringify(body.paths) : null,
        team: body.team ?? null,
        owner: body.owner ?? null,
        created_at: now,
        created_by: actor.id,
        expires_at: expiresAt,
        revoked_at: null,
        last_used_at: null,
        source: 'console',
        source_line: null,
        updated_at: now,
      };
      await insertKey(writer, row);
      const after = platformKeyOf(row, now);
      return { answer: { ...after, key }, audit: { subject: id, before: null, after } };
    },
  });
}
