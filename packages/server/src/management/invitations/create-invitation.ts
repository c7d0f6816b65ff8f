import { createdInvitation, type Invitation, invitationCreation } from '@floe/contract/api/members';
import { Fault } from '@floe/contract/faults';
import { idFor, newId } from '../../core/ids.ts';
import { invite } from '../../platform/invitations.ts';
import { invitationView } from '../../platform/stored-member.ts';
import { type InvitationRow, invitationById } from '../../store/invitations.ts';
import { requireOwnerFor, requireTeam } from '../members/find-member.ts';
import type { PeopleHost } from '../members/people-host.ts';
import { type FurtherChange, type Verb, writeVerb } from '../verb.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** The answer is the same whether or not the address has an account in this installation. */
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
      const id =
        idempotencyKey === undefined ? newId('inv', now) : idFor('inv', `${orgId}\n${idempotencyKey}`);
      if (idempotencyKey !== undefined && (await invitationById(writer, orgId, id)))
        throw new Fault(
          'conflict',
          `This Idempotency-Key made the invitation ${id}; its link was shown once.`,
        );
      const { email, role, team = null, expires_in_days: days } = body;
      const place = { id, orgId, email, role, team, ttlMs: days * DAY_MS };
      const { row, token, revoked } = await invite(writer, place, { by: actor.id, nowMs: now });
      const after = invitationView(row, now);
      const link = `${people.baseUrl()}/invite#t=${token}`;
      return {
        answer: { ...after, link, mail: 'off' as const },
        audit: { subject: row.id, before: null, after },
        further: revoked.map((earlier) => revocationOf(earlier, now)),
      };
    },
    after: async (answer) => ({ ...answer, mail: await people.mail(mailOf(answer)) }),
  });
}

function revocationOf(row: InvitationRow, now: number): FurtherChange {
  return {
    action: 'invitations.revoke',
    subject: row.id,
    before: invitationView({ ...row, revoked_at: null }, now),
    after: invitationView(row, now),
  };
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
