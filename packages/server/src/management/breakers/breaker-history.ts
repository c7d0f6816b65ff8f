import { breakerHistory } from '@floe/contract/api/breakers';
import { idParams, page, rangeQuery } from '@floe/contract/api/page';
import { breakerChangePage } from '../../store/breaker-changes.ts';
import { range } from '../time-range.ts';
import { readVerb } from '../verb.ts';
import { nameIn } from './breaker-answer.ts';

export const listBreakerChanges = readVerb({
  name: 'breakers.history',
  method: 'GET',
  path: '/api/management/breakers/{id}/history',
  scope: 'management',
  summary: 'List the changes of a breaker’s state, of every process, newest first',
  params: idParams,
  query: rangeQuery,
  answer: page(breakerHistory),
  async run({ orgId, reader }, { params, query }) {
    nameIn(params.id);
    const { limit, cursor } = query;
    const found = await breakerChangePage(reader, {
      orgId,
      breakerId: params.id,
      limit,
      cursor,
      ...range(query),
    });
    return {
      data: found.rows.map(({ id, at, state, because }) => ({
        id,
        at: new Date(at).toISOString(),
        state,
        because,
      })),
      next_cursor: found.nextCursor,
    };
  },
});
