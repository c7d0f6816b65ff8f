import type { KeyObject } from 'node:crypto';
import { createdKey, keyCreation } from '@floe/contract/api/keys';
import { Fault } from '@floe/contract/faults';
import { idFor, newId } from '../../core/ids.ts';
import { requireActorScope } from '../../platform/actor.ts';
import { makeKey } from '../../platform/make-key.ts';
import { platformKeyOf } from '../../platform/stored-key.ts';
import { insertKey, keyById } from '../../store/platform-keys.ts';
import { requireTeam } from '../members/find.ts';
import { type Verb, writeVerb } from '../verb.ts';
import { momentAhead } from './fields.ts';
import { mustBeFree } from './name-in-use.ts';
import { KEY_ROLES, whoseKey } from './whose.ts';

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
    roles: KEY_ROLES,
    summary: 'Create a platform key; what a mere member makes is their own',
    body: keyCreation,
    answer: createdKey,
    status: 201,
    idempotent: true,
    changes: 'keys',
    async run({ orgId, actor, clock, writer }, { body, idempotencyKey }) {
      for (const scope of body.scopes) requireActorScope(actor, scope);
      const now = clock.now();
      const whose = whoseKey(actor, body);
      const columns = {
        ...whose,
        models_json: body.models ? JSON.stringify(body.models) : null,
        paths_json: body.paths?.length ? JSON.stringify(body.paths) : null,
        expires_at: momentAhead(body.expires_at, now),
      };
      if (body.team != null) await requireTeam(writer, orgId, whose.team);
      const id =
        idempotencyKey === undefined ? newId('key', now) : idFor('key', `${orgId}\n${idempotencyKey}`);
      if (idempotencyKey !== undefined && (await keyById(writer, orgId, id)))
        throw new Fault('conflict', `This Idempotency-Key made the key ${id}; its value was shown once.`);
      await mustBeFree(writer, orgId, body.name, now);
      const { name, scopes } = body;
      const { key, row } = makeKey(
        pepper,
        { orgId, name, scopes, by: actor.id, nowMs: now },
        { ...columns, id },
      );
      await insertKey(writer, row);
      const after = platformKeyOf(row, now);
      return { answer: { ...after, key }, audit: { subject: id, before: null, after } };
    },
  });
}
