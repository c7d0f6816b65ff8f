import { requestDetail } from '@floe/contract/api/analytics';
import { idParams } from '@floe/contract/api/page';
import { Fault } from '@floe/contract/faults';
import { findExchangeById } from '../../store/exchanges.ts';
import { defineReadOperation } from '../operation.ts';
import { toRequestDetail } from './request-resource.ts';

/** The operation that returns one request (`GET /api/analytics/requests/{id}`). */
export const getRequestOperation = defineReadOperation({
  name: 'requests.get',
  method: 'GET',
  path: '/api/analytics/requests/{id}',
  scope: 'management',
  summary: 'Read one request with its attempts and decisions',
  params: idParams,
  answer: requestDetail,
  async run({ orgId, reader }, { params }) {
    const row = await findExchangeById(reader, orgId, params.id);
    if (!row)
      throw new Fault(
        'not_found',
        'No request has this id. Floe deletes requests when their retention period ends.',
      );
    return toRequestDetail(row);
  },
});
