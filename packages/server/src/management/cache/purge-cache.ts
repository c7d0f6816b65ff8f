import * as z from 'zod';
import { incrementCachePurgeCount } from '../../store/cache-purges.ts';
import { defineWriteVerb } from '../verb.ts';

export const purgeCacheVerb = defineWriteVerb({
  name: 'cache.purge',
  method: 'POST',
  path: '/api/management/cache/purge',
  scope: 'management',
  summary: 'Throw away every kept answer of the org; none is told again once this is answered',
  answer: z.null(),
  status: 204,
  invalidates: 'cache',
  async run({ orgId, writer }) {
    const purges = await incrementCachePurgeCount(writer, orgId);
    return {
      answer: null,
      audit: { subject: 'cache', before: { purges }, after: { purges: purges + 1 } },
    };
  },
});
