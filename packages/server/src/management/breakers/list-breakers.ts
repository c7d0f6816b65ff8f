import { breakerListQuery, breakerResource } from '@floe/contract/api/breakers';
import { createPageSchema } from '@floe/contract/api/page';
import { listMemberEmails } from '../../store/members.ts';
import { paginateListForResponse } from '../list-page.ts';
import { defineReadOperation, type Operation } from '../operation.ts';
import { type BreakerLister, toBreakerResource } from './breaker-resource.ts';

/** Defines the operation that lists the breakers of this process. */
export function defineListBreakersOperation(breakers: BreakerLister): Operation {
  return defineReadOperation({
    name: 'breakers.list',
    method: 'GET',
    path: '/api/management/breakers',
    scope: 'management',
    summary: 'List breakers that are not closed, are forced or have recent failures, sorted by id',
    query: breakerListQuery,
    answer: createPageSchema(breakerResource),
    async run({ orgId, reader }, { query: { sort = 'id', ...query } }) {
      const views = breakers.list(orgId);
      const emails = await listMemberEmails(
        reader,
        orgId,
        views.flatMap(({ forced }) => forced?.by ?? []),
      );
      const all = views.map(({ forced, ...view }) =>
        toBreakerResource({
          ...view,
          forced: forced && { ...forced, by: emails.get(forced.by) ?? forced.by },
        }),
      );
      return paginateListForResponse(all, ({ id }) => ({ id }), {
        ...query,
        sort: sort === 'id' ? 'name' : sort,
      });
    },
  });
}
