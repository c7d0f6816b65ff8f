import { memberListQuery, memberResource } from '@floe/contract/api/members';
import { createPageSchema } from '@floe/contract/api/page';
import { toMemberResource } from '../../platform/stored-member.ts';
import { getMemberPage } from '../../store/members.ts';
import { defineReadOperation } from '../operation.ts';

/** The operation that lists members (`GET /api/management/members`). */
export const listMembersOperation = defineReadOperation({
  name: 'members.list',
  method: 'GET',
  path: '/api/management/members',
  scope: 'management',
  summary: 'List members, newest first',
  query: memberListQuery,
  answer: createPageSchema(memberResource),
  async run({ orgId, reader }, { query }) {
    const { rows, nextCursor } = await getMemberPage(reader, { orgId, ...query });
    return { data: rows.map(toMemberResource), next_cursor: nextCursor };
  },
});
