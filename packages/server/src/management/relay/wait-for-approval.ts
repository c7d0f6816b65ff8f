import { idParams } from '@floe/contract/api/page';
import { approvalResource, approvalWaitQuery } from '@floe/contract/api/relay';
import { Fault } from '@floe/contract/faults';
import type * as z from 'zod';
import { listMemberEmails } from '../../store/members.ts';
import type { RelayApprovalRow } from '../../store/relay/relay-approvals.ts';
import type { DatabaseReader } from '../../store/store-interfaces.ts';
import { defineReadOperation, type Operation } from '../operation.ts';
import { type RelayDependencies, resolveReadableKeyId } from './relay-dependencies.ts';

/**
 * Defines the operation that returns an approval. It can wait until the approval is decided. A key that has
 * only the scope `relay` can read only the approvals of its own events.
 */
export function defineWaitForApprovalOperation({ approvals }: RelayDependencies): Operation {
  return defineReadOperation({
    name: 'relay.approval',
    method: 'GET',
    path: '/relay/v1/approvals/{id}',
    scope: ['relay', 'management'],
    summary:
      'Read an approval; with `wait_seconds`, the response is sent when the approval is decided or the wait ends',
    params: idParams,
    query: approvalWaitQuery,
    answer: approvalResource,
    async run({ orgId, reader, actor, clock }, { params, query }) {
      const wanted = { orgId, id: params.id, keyId: resolveReadableKeyId(actor) };
      const row = await approvals.waitForDecision(wanted, query.wait_seconds);
      const [resolved] = await resolveDeciders(reader, orgId, row ? [row] : []);
      if (!resolved)
        throw new Fault(
          'not_found',
          'There is no approval with this id, or the approval belongs to another key. A key needs the scope "management" or "read" to read the approvals of other keys. Floe deletes approvals when their retention period ends.',
        );
      return toApprovalResource(resolved, clock.now());
    },
  });
}

/** Converts an approval to the API format. `nowMs` determines whether the approval has expired. */
export function toApprovalResource(row: RelayApprovalRow, nowMs: number): z.input<typeof approvalResource> {
  const toIso = (ms: number) => new Date(ms).toISOString();
  return approvalResource.parse({
    id: row.id,
    created_at: toIso(row.created_at),
    expires_at: toIso(row.expires_at),
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
    input_summary: row.input_summary,
    reason: row.reason,
    decided_at: row.decided_at === null ? null : toIso(row.decided_at),
    decided_by: row.decided_by,
    note: row.note,
  });
}

/**
 * Replaces the ids of members in `decided_by` with their email addresses. Stored rows contain only ids, so that nothing
 * remains of a person whose data is erased.
 */
export async function resolveDeciders(
  reader: DatabaseReader,
  orgId: string,
  rows: readonly RelayApprovalRow[],
): Promise<RelayApprovalRow[]> {
  const ids = rows.flatMap((row) => row.decided_by ?? []);
  const emails = await listMemberEmails(reader, orgId, ids);
  return rows.map((row) => ({ ...row, decided_by: emails.get(row.decided_by ?? '') ?? row.decided_by }));
}
