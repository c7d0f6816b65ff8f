import * as z from 'zod';
import { countPurge } from '../../store/cache-purges.ts';
import { writeVerb } from '../verb.ts';

export const purgeCache = writeVerb({
  name: 'cache.purge',
  method: 'POST',
  path: '/api/management/cache/purge',
  scope: 'management',
  summary: 'Throw away every kept answer of the org; none is told again once this is answered',
  answer: z.null(),
  status: 204,
  changes: 'cache',
  async run({ orgId, writer }) {
    const purges = await countPurge(writer, orgId);
    return {
      answer: null,
      audit: { subject: 'cache', before: { purges }, after: { purges: purges + 1 } },
    };
  },
});
