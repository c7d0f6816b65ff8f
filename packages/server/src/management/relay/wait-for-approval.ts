import { idParams } from '@floe/contract/api/page';
import { relayApproval, waitQuery } from '@floe/contract/api/relay';
import { Fault } from '@floe/contract/faults';
import type * as z from 'zod';
import type { ApprovalRow } from '../../store/relay/approvals.ts';
import { readVerb, type Verb } from '../verb.ts';
import type { RelayHost } from './relay-host.ts';

/** A question and its answer; the client of the agent waits here. */
export function waitForApproval({ approvals }: RelayHost): Verb {
  return readVerb({
    name: 'relay.approval',
    method: 'GET',
    path: '/relay/v1/approvals/{id}',
    scope: ['relay', 'management'],
    summary: 'Read a question to a person; with wait_seconds, once it is answered',
    params: idParams,
    query: waitQuery,
    answer: relayApproval,
    async run({ orgId, clock }, { params, query }) {
      const row = await approvals.wait(orgId, params.id, query.wait_seconds);
      if (!row) throw new Fault('not_found', 'No question has this id.');
      return approvalView(row, clock.now());
    },
  });
}

export function approvalView(row: ApprovalRow, nowMs: number): z.input<typeof relayApproval> {
  const momentOf = (ms: number) => new Date(ms).toISOString();
  return relayApproval.parse({
    id: row.id,
    created_at: momentOf(row.created_at),
    expires_at: momentOf(row.expires_at),
    state: row.state === 'waiting' && row.expires_at <= nowMs ? 'expired' : row.state,
    scope: row.scope,
    decision_id: row.decision_id,
    event: row.event,
    rules: JSON.parse(row.rules_json),
    session_id: row.session_id,
    agent: row.agent,
    key: row.key_name,
    owner: row.owner,
    repository: row.repository,
    what: row.what,
    reason: row.reason,
    decided_at: row.decided_at === null ? null : momentOf(row.decided_at),
    decided_by: row.decided_by,
    note: row.note,
  });
}
