import { createdInvitation, type InvitationResource, invitationCreation } from '@floe/contract/api/members';
import { Fault } from '@floe/contract/faults';
import { formatUtcTime } from '../../core/format-utc-time.ts';
import { createId, deriveId } from '../../core/ids.ts';
import { issueInvitation } from '../../platform/invitations.ts';
import { toInvitationResource } from '../../platform/stored-member.ts';
import {
  countInvitationsSince,
  findInvitationById,
  listPendingInvitations,
} from '../../store/invitations.ts';
import type { DatabaseReader } from '../../store/store-interfaces.ts';
import type { MemberDependencies } from '../members/member-dependencies.ts';
import {
  requireOwnerToManageOwners,
  requireStepUpToGrantRole,
  requireTeamExists,
} from '../members/member-requirements.ts';
import { defineWriteOperation, type Operation } from '../operation.ts';

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
/** Each invitation sends an email to any address, through the mail server that all organizations share. */
const MAX_INVITATIONS_PER_HOUR = 200;

/**
 * Defines the operation that invites a person. The response does not reveal whether the address has
 * an account in this installation.
 */
export function defineCreateInvitationOperation(dependencies: MemberDependencies): Operation {
  return defineWriteOperation({
    name: 'invitations.create',
    method: 'POST',
    path: '/api/management/invitations',
    scope: 'management',
    summary:
      'Invite a person by email address; the link is returned only once, and is also sent by email if SMTP is configured',
    body: invitationCreation,
    answer: createdInvitation,
    status: 201,
    handlesIdempotency: true,
    invalidates: null,
    async run({ orgId, actor, clock, writer }, { body, idempotencyKey }) {
      const now = clock.now();
      // The invitation replaces earlier ones. Those that no one can accept may be replaced by any actor who may invite.
      const earlier = await listPendingInvitations(writer, orgId, body.email, now);
      const replaced = earlier.filter((row) => row.may_creator_invite).map(({ role }) => role);
      requireOwnerToManageOwners(actor, [body.role, ...replaced], now);
      requireStepUpToGrantRole(actor, body.role, now);
      await requireTeamExists(writer, orgId, body.team);
      const id =
        idempotencyKey === undefined ? createId('inv', now) : deriveId('inv', `${orgId}\n${idempotencyKey}`);
      if (idempotencyKey !== undefined && (await findInvitationById(writer, orgId, id)))
        throw new Fault(
          'conflict',
          `A request with this Idempotency-Key already created the invitation ${id}. The invitation link was shown only once. To get a new link, revoke the invitation, then create another invitation with a new Idempotency-Key.`,
          { param: 'Idempotency-Key' },
        );
      await requireFewInvitations(writer, orgId, now);
      const { email, role, team = null, expires_in_days: days } = body;
      const offer = { id, orgId, email, role, team, ttlMs: days * DAY_MS };
      const { row, token, revoked } = await issueInvitation(writer, offer, { by: actor.id, nowMs: now });
      const after = toInvitationResource(row, now);
      const link = `${dependencies.baseUrl()}/invite#t=${token}`;
      return {
        answerAfterCommit: async () => ({
          ...after,
          link,
          email_status: await dependencies.sendMail(buildInvitationMail({ ...after, link })),
        }),
        audit: { subject: row.id, before: null, after },
        additionalChanges: revoked,
      };
    },
  });
}

/** @throws Fault `rate_limit_exceeded` */
async function requireFewInvitations(reader: DatabaseReader, orgId: string, nowMs: number): Promise<void> {
  if ((await countInvitationsSince(reader, orgId, nowMs - HOUR_MS)) < MAX_INVITATIONS_PER_HOUR) return;
  throw new Fault(
    'rate_limit_exceeded',
    `Your organization has created ${MAX_INVITATIONS_PER_HOUR} invitations in the last hour, which is the maximum. Try again later.`,
    { retryAfterMs: HOUR_MS },
  );
}

function buildInvitationMail({
  id,
  email,
  role,
  link,
  expires_at,
}: InvitationResource & { readonly link: string }) {
  return {
    id,
    to: email,
    subject: 'You have been invited to Floe',
    text: [
      `You have been invited to Floe with the role ${role}. Open this link to accept the invitation. The link works once and expires at ${formatUtcTime(Date.parse(expires_at))}:`,
      '',
      link,
      '',
      'If you did not expect this invitation, ignore this email.',
      '',
    ].join('\n'),
  };
}
