import { keyList, platformKey } from '@floe/contract/api/keys';
import { page } from '@floe/contract/api/page';
import { platformKeyOf } from '../../platform/stored-key.ts';
import { keyPage } from '../../store/platform-keys.ts';
import { readVerb } from '../verb.ts';

export const listKeys = readVerb({
  name: 'keys.list',
  method: 'GET',
  path: '/api/management/keys',
  scope: 'management',
  summary: 'List platform keys, newest first, revoked ones included',
  query: keyList,
  answer: page(platformKey),
  async run({ orgId, clock, reader }, { query }) {
    const { rows, nextCursor } = await keyPage(reader, { orgId, ...query });
    const now = clock.now();
    return { data: rows.map((row) => platformKeyOf(row, now)), next_cursor: nextCursor };
  },
});
