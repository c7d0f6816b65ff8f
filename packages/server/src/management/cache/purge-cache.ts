import * as z from 'zod';
import { incrementCachePurgeCount } from '../../store/cache-purges.ts';
import { defineWriteOperation } from '../operation.ts';

/** The operation that deletes all cached responses (`POST /api/management/cache/purge`). */
export const purgeCacheOperation = defineWriteOperation({
  name: 'cache.purge',
  method: 'POST',
  path: '/api/management/cache/purge',
  scope: 'management',
  summary: 'Delete all cached responses of the organization; the deletion is complete when the API responds',
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
