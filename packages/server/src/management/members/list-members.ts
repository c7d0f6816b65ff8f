import { member, memberList } from '@floe/contract/api/members';
import { page } from '@floe/contract/api/page';
import { memberView } from '../../platform/stored-member.ts';
import { memberPage } from '../../store/members.ts';
import { readVerb } from '../verb.ts';

export const listMembers = readVerb({
  name: 'members.list',
  method: 'GET',
  path: '/api/management/members',
  scope: 'management',
  summary: 'List members, newest first',
  query: memberList,
  answer: page(member),
  async run({ orgId, reader }, { query }) {
    const { rows, nextCursor } = await memberPage(reader, { orgId, ...query });
    return { data: rows.map(memberView), next_cursor: nextCursor };
  },
});
