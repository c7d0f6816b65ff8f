import { invitation, invitationList } from '@floe/contract/api/members';
import { page } from '@floe/contract/api/page';
import { invitationView } from '../../platform/stored-member.ts';
import { invitationPage } from '../../store/invitations.ts';
import { readVerb } from '../verb.ts';

export const listInvitations = readVerb({
  name: 'invitations.list',
  method: 'GET',
  path: '/api/management/invitations',
  scope: 'management',
  summary: 'List invitations, newest first',
  query: invitationList,
  answer: page(invitation),
  async run({ orgId, clock, reader }, { query }) {
    const nowMs = clock.now();
    const { rows, nextCursor } = await invitationPage(reader, { orgId, nowMs, ...query });
    return { data: rows.map((row) => invitationView(row, nowMs)), next_cursor: nextCursor };
  },
});
