import { createdInvitation, type Invitation, invitationCreation } from '@floe/contract/api/members';
import { Fault } from '@floe/contract/faults';
import { idFor, newId } from '../../core/ids.ts';
import { newInvitationToken } from '../../platform/invitations.ts';
import { invitationView } from '../../platform/stored-member.ts';
import {
  changeInvitation,
  type InvitationRow,
  insertInvitation,
  invitationById,
  pendingInvitations,
} from '../../store/invitations.ts';
import { memberByEmail } from '../../store/members.ts';
import type { Writer } from '../../store/ports.ts';
import { requireOwnerFor, requireTeam } from '../members/find.ts';
import type { PeopleHost } from '../members/people-host.ts';
import { type FurtherChange, type Verb, writeVerb } from '../verb.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Invites an address, whether or not it has an account in this installation: the answer is the same. A pending
 * invitation of the same address is taken back, so one link at most is good.
 */
export function createInvitation(people: PeopleHost): Verb {
  return writeVerb({
    name: 'invitations.create',
    method: 'POST',
    path: '/api/management/invitations',
    scope: 'management',
    summary: 'Invite an address; its link is shown once, and mailed where mail is set up',
    body: invitationCreation,
    answer: createdInvitation,
    status: 201,
    idempotent: true,
    changes: null,
    async run({ orgId, actor, clock, writer }, { body, idempotencyKey }) {
      const now = clock.now();
      requireOwnerFor(actor, [body.role], now);
      await requireTeam(writer, orgId, body.team);
      const there = await memberByEmail(writer, orgId, body.email);
      if (there) throw new Fault('conflict', `${body.email} is a member already.`, { param: 'email' });
      const id =
        idempotencyKey === undefined ? newId('inv', now) : idFor('inv', `${orgId}\n${idempotencyKey}`);
      if (idempotencyKey !== undefined && (await invitationById(writer, orgId, id)))
        throw new Fault(
          'conflict',
          `This Idempotency-Key made the invitation ${id}; its link was shown once.`,
        );
      const { token, sha256 } = newInvitationToken();
      const row: InvitationRow = {
        id,
        org_id: orgId,
        email: body.email,
        role: body.role,
        team: body.team ?? null,
        token_sha256: sha256,
        created_at: now,
        created_by: actor.id,
        expires_at: now + body.expires_in_days * DAY_MS,
        accepted_at: null,
        accepted_by: null,
        revoked_at: null,
      };
      const further = await takeBack(writer, row, now);
      await insertInvitation(writer, row);
      const after = invitationView(row, now);
      const link = `${people.baseUrl()}/invite#t=${token}`;
      return {
        answer: { ...after, link, mail: 'off' as const },
        audit: { subject: row.id, before: null, after },
        further,
      };
    },
    after: async (answer) => ({ ...answer, mail: await people.mail(mailOf(answer)) }),
  });
}

async function takeBack(writer: Writer, next: InvitationRow, now: number): Promise<FurtherChange[]> {
  const changes: FurtherChange[] = [];
  for (const row of await pendingInvitations(writer, next.org_id, next.email, now)) {
    await changeInvitation(writer, row.id, { revoked_at: now });
    const view = (revoked_at: number | null) => invitationView({ ...row, revoked_at }, now);
    changes.push({
      action: 'invitations.revoke',
      subject: row.id,
      before: view(null),
      after: view(now),
    });
  }
  return changes;
}

function mailOf({ id, email, role, link, expires_at }: Invitation & { readonly link: string }) {
  return {
    id,
    to: email,
    subject: 'You are invited to Floe',
    text: [
      `You are invited as ${role}. Open this link to accept; it works once, until ${expires_at}:`,
      '',
      link,
      '',
      'If you did not expect this, do nothing.',
      '',
    ].join('\n'),
  };
}
