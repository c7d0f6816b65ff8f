import { platformKey } from '@floe/contract/api/keys';
import { idParams } from '@floe/contract/api/page';
import { platformKeyOf } from '../../platform/stored-key.ts';
import { readVerb } from '../verb.ts';
import { existingKey } from './find.ts';

export const getKey = readVerb({
  name: 'keys.get',
  method: 'GET',
  path: '/api/management/keys/{id}',
  scope: 'management',
  summary: 'Read one platform key',
  live: ['status', 'last_used_at'],
  params: idParams,
  answer: platformKey,
  async run({ orgId, clock, reader }, { params }) {
    return platformKeyOf(await existingKey(reader, orgId, params.id), clock.now());
  },
});
