import { me } from '@floe/contract/api/keys';
import { Fault } from '@floe/contract/faults';
import { platformKeyOf } from '../platform/stored-key.ts';
import { orgById } from '../store/orgs.ts';
import { keyById } from '../store/platform-keys.ts';
import { readVerb } from './verb.ts';

export const getMe = readVerb({
  name: 'me.get',
  method: 'GET',
  path: '/api/me',
  scope: null,
  summary: 'Read the key that asks',
  answer: me,
  async run({ orgId, key, clock, reader }) {
    const [org, row] = await Promise.all([orgById(reader, orgId), keyById(reader, orgId, key.id)]);
    if (!org || !row) throw new Fault('not_found', 'The key that asks is gone.');
    return {
      kind: 'platform_key' as const,
      org: { id: org.id, name: org.name },
      key: platformKeyOf(row, clock.now()),
    };
  },
});
