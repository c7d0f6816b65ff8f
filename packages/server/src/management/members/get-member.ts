import { memberResource } from '@floe/contract/api/members';
import { idParams } from '@floe/contract/api/page';
import { toMemberResource } from '../../platform/stored-member.ts';
import { defineReadOperation } from '../operation.ts';
import { requireOrgMember } from './member-requirements.ts';

/** The operation that returns one member (`GET /api/management/members/{id}`). */
export const getMemberOperation = defineReadOperation({
  name: 'members.get',
  method: 'GET',
  path: '/api/management/members/{id}',
  scope: 'management',
  summary: 'Read one member',
  params: idParams,
  answer: memberResource,
  run: async ({ orgId, reader }, { params }) =>
    toMemberResource(await requireOrgMember(reader, orgId, params.id)),
});
