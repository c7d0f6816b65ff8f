import { idParams } from '@floe/contract/api/page';
import { Fault } from '@floe/contract/faults';
import * as z from 'zod';
import { toInvitationResource } from '../../platform/stored-member.ts';
import { findInvitationById, updateInvitation } from '../../store/invitations.ts';
import { requireOwnerToManageOwners } from '../members/member-requirements.ts';
import { defineWriteOperation } from '../operation.ts';

/** The operation that revokes an invitation (`DELETE /api/management/invitations/{id}`). */
export const revokeInvitationOperation = defineWriteOperation({
  name: 'invitations.revoke',
  method: 'DELETE',
  path: '/api/management/invitations/{id}',
  scope: 'management',
  summary: 'Revoke an invitation and its link',
  params: idParams,
  answer: z.null(),
  status: 204,
  invalidates: null,
  async run({ orgId, actor, clock, writer }, { params }) {
    const row = await findInvitationById(writer, orgId, params.id);
    if (!row) throw new Fault('not_found', 'No invitation has this id.');
    if (row.accepted_at !== null)
      throw new Fault('conflict', 'This invitation has been accepted. Remove the member instead.');
    const now = clock.now();
    if (row.revoked_at !== null) return { answer: null, audit: 'unchanged' };
    requireOwnerToManageOwners(actor, [row.role], now);
    await updateInvitation(writer, row.id, { revoked_at: now });
    const view = (revoked_at: number | null) => toInvitationResource({ ...row, revoked_at }, now);
    return { answer: null, audit: { subject: row.id, before: view(null), after: view(now) } };
  },
});
