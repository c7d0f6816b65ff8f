import { cacheState } from '@floe/contract/api/cache';
import { purgesOf } from '../../store/cache-purges.ts';
import { readVerb, type Verb } from '../verb.ts';

/** An org's cache as the running configuration has it; null while it is off. */
export type CacheOf = (orgId: string) => {
  readonly ttlMs: number;
  readonly scope: 'org' | 'key';
} | null;

export function getCache(cacheOf: CacheOf): Verb {
  return readVerb({
    name: 'cache.get',
    method: 'GET',
    path: '/api/management/cache',
    scope: 'management',
    summary: 'Read how answers are kept for equal requests',
    answer: cacheState,
    async run({ orgId, reader }) {
      const rules = cacheOf(orgId);
      const purges = await purgesOf(reader, orgId);
      return {
        enabled: rules !== null,
        ttl_seconds: rules && rules.ttlMs / 1000,
        scope: rules?.scope ?? null,
        purges,
      };
    },
  });
}
