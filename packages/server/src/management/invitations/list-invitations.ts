import { invitationListQuery, invitationResource } from '@floe/contract/api/members';
import { createPageSchema } from '@floe/contract/api/page';
import { toInvitationResource } from '../../platform/stored-member.ts';
import { getInvitationPage } from '../../store/invitations.ts';
import { defineReadOperation } from '../operation.ts';

/** The operation that lists invitations (`GET /api/management/invitations`). */
export const listInvitationsOperation = defineReadOperation({
  name: 'invitations.list',
  method: 'GET',
  path: '/api/management/invitations',
  scope: 'management',
  summary: 'List invitations, newest first',
  query: invitationListQuery,
  answer: createPageSchema(invitationResource),
  async run({ orgId, clock, reader }, { query }) {
    const nowMs = clock.now();
    const { rows, nextCursor } = await getInvitationPage(reader, { orgId, nowMs, ...query });
    return { data: rows.map((row) => toInvitationResource(row, nowMs)), next_cursor: nextCursor };
  },
});
