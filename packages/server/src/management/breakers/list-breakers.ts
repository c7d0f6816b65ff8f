import { breaker, breakerList } from '@floe/contract/api/breakers';
import { page } from '@floe/contract/api/page';
import { listPage } from '../list-page.ts';
import { readVerb, type Verb } from '../verb.ts';
import { type BreakerSource, breakerOf } from './breaker-answer.ts';

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
    async run({ orgId }, { query: { sort = 'id', ...query } }) {
      const all = breakers.list(orgId).map(breakerOf);
      return listPage(all, ({ id }) => ({ id }), { ...query, sort: sort === 'id' ? 'name' : sort });
    },
  });
}
