import { cacheState } from '@floe/contract/api/cache';
import { cacheChange } from '@floe/contract/api/settings';
import { isObject } from '@floe/contract/json';
import type * as z from 'zod';
import { purgesOf } from '../../store/cache-purges.ts';
import type { Reader } from '../../store/ports.ts';
import { ECHOED } from '../entries/checked-entry.ts';
import type { RunningOrgs } from '../running-org.ts';
import { putSection, type StoredSections, sourceOf, storedSections } from '../settings/sections-of.ts';
import { readVerb, type Verb, writeVerb } from '../verb.ts';

const PATH = '/api/management/cache';

export const getCache = readVerb({
  name: 'cache.get',
  method: 'GET',
  path: PATH,
  scope: 'management',
  summary: 'Read how answers are kept for equal requests',
  live: ['purges'],
  answer: cacheState,
  run: async ({ orgId, reader }) => view(reader, orgId, await storedSections(reader, orgId)),
});

export function updateCache(orgs: RunningOrgs): Verb {
  return writeVerb({
    name: 'cache.update',
    method: 'PATCH',
    path: PATH,
    scope: 'management',
    summary: 'Turn the answer cache on or off, or change how answers are kept',
    body: cacheChange,
    answer: cacheState,
    status: 200,
    changes: 'config',
    async run(context, { sent }) {
      const { writer, orgId } = context;
      const before = await storedSections(writer, orgId);
      const fields = Object.entries(isObject(sent) ? sent : {});
      const given = Object.fromEntries(fields.filter(([name]) => name !== 'purges' && !ECHOED.has(name)));
      const isChanged = await putSection(context, before, { section: 'cache', given }, orgs);
      const answer = await view(writer, orgId, await storedSections(writer, orgId));
      if (!isChanged) return { answer, audit: 'unchanged' };
      return {
        answer,
        audit: { subject: 'cache', before: await view(writer, orgId, before), after: answer },
      };
    },
  });
}

async function view(
  reader: Reader,
  orgId: string,
  stored: StoredSections,
): Promise<z.output<typeof cacheState>> {
  const { enabled, ttl_seconds, scope } = stored.settings.cache;
  return {
    enabled,
    ttl_seconds,
    scope,
    purges: await purgesOf(reader, orgId),
    ...sourceOf(stored, 'cache'),
  };
}
