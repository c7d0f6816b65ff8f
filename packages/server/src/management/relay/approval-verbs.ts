import { idParams, page } from '@floe/contract/api/page';
import { relayApproval } from '@floe/contract/api/relay';
import { approvalAnswer, approvalsQuery } from '@floe/contract/api/relay-management';
import { Fault } from '@floe/contract/faults';
import { tellOfApproval } from '../../relay/approvals.ts';
import { approvalById, approvalPage, settleApproval } from '../../store/relay/approvals.ts';
import { readVerb, type Verb, writeVerb } from '../verb.ts';
import type { RelayHost } from './relay-host.ts';
import { approvalView } from './wait-for-approval.ts';

/** How long an approval for a session holds. */
const SESSION_MS = 12 * 3_600_000;

export const listApprovals = readVerb({
  name: 'relay.approvals',
  method: 'GET',
  path: '/api/management/relay/approvals',
  scope: 'management',
  summary: 'List questions to a person, newest first',
  query: approvalsQuery,
  answer: page(relayApproval),
  async run({ reader, orgId, clock }, { query }) {
    const nowMs = clock.now();
    const found = await approvalPage(reader, { ...query, orgId, nowMs });
    return { data: found.rows.map((row) => approvalView(row, nowMs)), next_cursor: found.nextCursor };
  },
});

/** A person's answer; the agent that waits hears it at once, another one when it tries again. */
export function decideApproval({ approvals }: RelayHost): Verb {
  return writeVerb({
    name: 'relay.approve',
    method: 'POST',
    path: '/api/management/relay/approvals/{id}',
    scope: 'management',
    summary: 'Answer a question: allow once, allow for the session, or deny',
    params: idParams,
    body: approvalAnswer,
    answer: relayApproval,
    status: 200,
    changes: null,
    after: async (answer) => {
      approvals.decided(answer.id);
      return answer;
    },
    async run({ writer, orgId, actor, clock }, { params, body }) {
      const nowMs = clock.now();
      const before = await approvalById(writer, orgId, params.id);
      if (!before) throw new Fault('not_found', 'No question has this id.');
      const allows = body.decision === 'allow';
      const answered = {
        org_id: orgId,
        id: before.id,
        state: allows ? 'allowed' : 'denied',
        scope: allows ? body.scope : null,
        decided_at: nowMs,
        decided_by: actor.member?.email ?? actor.id,
        note: body.note,
      };
      const untilMs = allows && body.scope === 'session' ? nowMs + SESSION_MS : before.expires_at;
      if (!(await settleApproval(writer, answered, nowMs, untilMs))) throw tooLate(before.decided_by);
      await tellOfApproval(writer, { ...before, ...answered }, nowMs);
      const after = approvalView({ ...before, ...answered, expires_at: untilMs }, nowMs);
      return { answer: after, audit: { subject: before.id, before: approvalView(before, nowMs), after } };
    },
  });
}

function tooLate(decidedBy: string | null): Fault {
  return new Fault(
    'conflict',
    decidedBy === null ? 'The time for an answer is over.' : `${decidedBy} has answered it.`,
  );
}
