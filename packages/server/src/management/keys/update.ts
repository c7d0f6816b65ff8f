import { keyChange, platformKey } from '@floe/contract/api/keys';
import { idParams } from '@floe/contract/api/page';
import { writeVerb } from '../verb.ts';
import { changeFields } from './fields.ts';
import { changeableKey } from './find.ts';
import { KEY_ROLES, requireOwnKey } from './whose.ts';

export const updateKey = writeVerb({
  name: 'keys.update',
  method: 'PATCH',
  path: '/api/management/keys/{id}',
  scope: 'management',
  roles: KEY_ROLES,
  summary: 'Change the name, scopes, models, paths, team, owner or expiry of a platform key',
  params: idParams,
  body: keyChange,
  answer: platformKey,
  status: 200,
  changes: 'keys',
  async run(context, { params, body }) {
    const row = await changeableKey(context.writer, context.orgId, params.id);
    requireOwnKey(context.actor, row);
    return changeFields(context, row, body);
  },
});
