import { keyChange, platformKey } from '@floe/contract/api/keys';
import { idParams } from '@floe/contract/api/page';
import { platformKeyOf } from '../../platform/stored-key.ts';
import { changeKey } from '../../store/platform-keys.ts';
import { writeVerb } from '../verb.ts';
import { changeableKey } from './find.ts';
import { mustBeFree } from './name-in-use.ts';

export const updateKey = writeVerb({
  name: 'keys.update',
  method: 'PATCH',
  path: '/api/management/keys/{id}',
  scope: 'management',
  summary: 'Change the name, models, paths, team, owner or expiry of a platform key',
  params: idParams,
  body: keyChange,
  answer: platformKey,
  status: 200,
  changes: 'keys',
  async run({ orgId, clock, writer }, { params, body }) {
    const row = await changeableKey(writer, orgId, params.id);
    const now = clock.now();
    if (body.name !== undefined && body.name !== row.name) await mustBeFree(writer, orgId, body.name, now);
    const changed = {
      ...row,
      ...(body.name !== undefined && { name: body.name }),
      ...(body.models !== undefined && { models_json: body.models && JSON.stringify(body.models) }),
      ...(body.paths !== undefined && {
        paths_json: body.paths?.length ? JSON.stringify(body.paths) : null,
      }),
      ...(body.team !== undefined && { team: body.team }),
      ...(body.owner !== undefined && { owner: body.owner }),
      ...(body.expires_at !== undefined && {
        expires_at: body.expires_at === null ? null : Date.parse(body.expires_at),
      }),
      updated_at: now,
    };
    await changeKey(writer, orgId, row.id, changed);
    const after = platformKeyOf(changed, now);
    return { answer: after, audit: { subject: row.id, before: platformKeyOf(row, now), after } };
  },
});
