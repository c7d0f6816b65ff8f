import { breakerHistoryEntry } from '@floe/contract/api/breakers';
import { createPageSchema, idParams, timeRangeListQuery } from '@floe/contract/api/page';
import { getBreakerChangePage } from '../../store/breaker-changes.ts';
import { defineReadOperation } from '../operation.ts';
import { parseTimeRange } from '../time-range.ts';
import { parseBreakerId } from './breaker-resource.ts';

/** The operation that lists a breaker's state changes (`GET /api/management/breakers/{id}/history`). */
export const listBreakerChangesOperation = defineReadOperation({
  name: 'breakers.history',
  method: 'GET',
  path: '/api/management/breakers/{id}/history',
  scope: 'management',
  summary: 'List the state changes of a breaker in all processes, newest first',
  params: idParams,
  query: timeRangeListQuery,
  answer: createPageSchema(breakerHistoryEntry),
  async run({ orgId, reader }, { params, query }) {
    parseBreakerId(params.id);
    const { limit, cursor } = query;
    const found = await getBreakerChangePage(reader, {
      orgId,
      breakerId: params.id,
      limit,
      cursor,
      ...parseTimeRange(query),
    });
    return {
      data: found.rows.map(({ id, at, state, because: reason }) => ({
        id,
        at: new Date(at).toISOString(),
        state,
        reason,
      })),
      next_cursor: found.nextCursor,
    };
  },
});
