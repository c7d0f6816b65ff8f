import { breaker, breakerList } from '@floe/contract/api/breakers';
import { page } from '@floe/contract/api/page';
import { readVerb, type Verb } from '../verb.ts';
import { type BreakerSource, breakerOf } from './view.ts';

/** Breakers as the answering process sees them. */
export function listBreakers(breakers: BreakerSource): Verb {
  return readVerb({
    name: 'breakers.list',
    method: 'GET',
    path: '/api/management/breakers',
    scope: 'management',
    summary: 'List breakers that are not simply closed, by id',
    query: breakerList,
    answer: page(breaker),
    async run({ orgId }, { query: { limit, cursor = '' } }) {
      const all = breakers
        .list(orgId)
        .map(breakerOf)
        .filter(({ id }) => id > cursor)
        .sort((a, b) => (a.id < b.id ? -1 : 1));
      const data = all.slice(0, limit);
      return { data, next_cursor: all.length > limit ? (data.at(-1)?.id ?? null) : null };
    },
  });
}
