import { keyReplacement, platformKey } from '@floe/contract/api/keys';
import { idParams } from '@floe/contract/api/page';
import { writeVerb } from '../verb.ts';
import { changeFields } from './fields.ts';
import { changeableKey } from './find.ts';
import { KEY_ROLES, requireOwnKey } from './whose.ts';

/** Of a key that exists only: a key is made by `keys.create` alone, which is what shows its value. */
export const putKey = writeVerb({
  name: 'keys.replace',
  method: 'PUT',
  path: '/api/management/keys/{id}',
  scope: 'management',
  roles: KEY_ROLES,
  summary: 'Replace every field of an existing platform key; what GET returned is accepted',
  params: idParams,
  body: keyReplacement,
  answer: platformKey,
  status: 200,
  changes: 'keys',
  async run(context, { params, body }) {
    const row = await changeableKey(context.writer, context.orgId, params.id);
    requireOwnKey(context.actor, row);
    const { name, scopes, models, paths, team, owner, expires_at } = body;
    return changeFields(context, row, {
      name,
      scopes,
      models: models ?? null,
      paths: paths ?? null,
      team: team ?? null,
      owner: owner ?? null,
      expires_at: expires_at ?? null,
    });
  },
});
