import { idParams } from '@floe/contract/api/page';
import { Fault } from '@floe/contract/faults';
import * as z from 'zod';
import { invitationView } from '../../platform/stored-member.ts';
import { changeInvitation, invitationById } from '../../store/invitations.ts';
import { requireOwnerFor } from '../members/find-member.ts';
import { writeVerb } from '../verb.ts';

export const revokeInvitation = writeVerb({
  name: 'invitations.revoke',
  method: 'DELETE',
  path: '/api/management/invitations/{id}',
  scope: 'management',
  summary: 'Take an invitation back; its link opens nothing any more',
  params: idParams,
  answer: z.null(),
  status: 204,
  changes: null,
  async run({ orgId, actor, clock, writer }, { params }) {
    const row = await invitationById(writer, orgId, params.id);
    if (!row) throw new Fault('not_found', 'No invitation has this id.');
    if (row.accepted_at !== null)
      throw new Fault('conflict', 'This invitation was accepted; remove the member instead.');
    const now = clock.now();
    if (row.revoked_at !== null) return { answer: null, audit: 'unchanged' };
    requireOwnerFor(actor, [row.role], now);
    await changeInvitation(writer, row.id, { revoked_at: now });
    const view = (revoked_at: number | null) => invitationView({ ...row, revoked_at }, now);
    return { answer: null, audit: { subject: row.id, before: view(null), after: view(now) } };
  },
});
