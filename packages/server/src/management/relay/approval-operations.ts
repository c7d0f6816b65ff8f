import { createPageSchema, idParams } from '@floe/contract/api/page';
import { approvalResource } from '@floe/contract/api/relay';
import { approvalDecisionInput, approvalListQuery } from '@floe/contract/api/relay-management';
import { Fault } from '@floe/contract/faults';
import { publishApproval } from '../../relay/relay-approvals.ts';
import {
  findRelayApproval,
  getRelayApprovalPage,
  recordRelayApprovalDecision,
} from '../../store/relay/relay-approvals.ts';
import { defineReadOperation, defineWriteOperation, type Operation } from '../operation.ts';
import type { RelayDependencies } from './relay-dependencies.ts';
import { resolveDeciders, toApprovalResource } from './wait-for-approval.ts';

/** Validity of an approval for a session. */
const SESSION_APPROVAL_MS = 12 * 3_600_000;

/** The operation that lists approvals (`GET /api/management/relay/approvals`). */
export const listApprovalsOperation = defineReadOperation({
  name: 'relay.approvals',
  method: 'GET',
  path: '/api/management/relay/approvals',
  scope: 'management',
  summary: 'List approvals, newest first',
  query: approvalListQuery,
  answer: createPageSchema(approvalResource),
  async run({ reader, orgId, clock }, { query }) {
    const nowMs = clock.now();
    const found = await getRelayApprovalPage(reader, { ...query, orgId, nowMs });
    const rows = await resolveDeciders(reader, orgId, found.rows);
    return { data: rows.map((row) => toApprovalResource(row, nowMs)), next_cursor: found.nextCursor };
  },
});

/**
 * Defines the operation that records a member's decision on an approval. An agent that is waiting
 * receives the decision immediately. Other agents receive it with their next request.
 */
export function defineDecideApprovalOperation({ approvals }: RelayDependencies): Operation {
  return defineWriteOperation({
    name: 'relay.approve',
    method: 'POST',
    path: '/api/management/relay/approvals/{id}',
    scope: 'management',
    summary: 'Decide on a pending approval: allow once, allow for the session, or deny',
    params: idParams,
    body: approvalDecisionInput,
    answer: approvalResource,
    status: 200,
    invalidates: null,
    async run({ writer, orgId, actor, clock }, { params, body }) {
      const nowMs = clock.now();
      const before = await findRelayApproval(writer, { orgId, id: params.id });
      if (!before)
        throw new Fault(
          'not_found',
          'No approval has this id. Floe deletes approvals when their retention period ends.',
        );
      const allows = body.decision === 'allow';
      const answered = {
        org_id: orgId,
        id: before.id,
        state: allows ? 'allowed' : 'denied',
        scope: allows ? body.scope : null,
        decided_at: nowMs,
        decided_by: actor.id,
        note: body.note,
      };
      const untilMs = allows && body.scope === 'session' ? nowMs + SESSION_APPROVAL_MS : before.expires_at;
      if (!(await recordRelayApprovalDecision(writer, answered, nowMs, untilMs)))
        throw approvalClosedFault((await resolveDeciders(writer, orgId, [before]))[0]?.decided_by ?? null);
      await publishApproval(writer, { ...before, ...answered }, nowMs);
      const after = toApprovalResource({ ...before, ...answered, expires_at: untilMs }, nowMs);
      return {
        async answerAfterCommit() {
          approvals.notifyDecided(before.id);
          return { ...after, decided_by: actor.member?.email ?? actor.id };
        },
        audit: { subject: before.id, before: toApprovalResource(before, nowMs), after },
      };
    },
  });
}

function approvalClosedFault(decidedBy: string | null): Fault {
  return new Fault(
    'conflict',
    decidedBy === null
      ? 'The approval has expired. The agent must request the action again.'
      : `${decidedBy} has already decided this approval.`,
  );
}
