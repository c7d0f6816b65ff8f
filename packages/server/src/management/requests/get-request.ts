import { requestDetail } from '@floe/contract/api/analytics';
import { idParams } from '@floe/contract/api/page';
import { Fault } from '@floe/contract/faults';
import { exchangeById } from '../../store/exchanges.ts';
import { readVerb } from '../verb.ts';
import { requestDetailOf } from './request-row.ts';

export const getRequest = readVerb({
  name: 'requests.get',
  method: 'GET',
  path: '/api/analytics/requests/{id}',
  scope: 'management',
  summary: 'Read one request with its attempts and decisions',
  params: idParams,
  answer: requestDetail,
  async run({ orgId, reader }, { params }) {
    const row = await exchangeById(reader, orgId, params.id);
    if (!row) throw new Fault('not_found', 'No request has this id.');
    return requestDetailOf(row);
  },
});
