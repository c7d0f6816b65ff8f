import { auditAnchorList, auditVerificationInput, auditVerificationResult } from '@floe/contract/api/audit';
import { pageQuery } from '@floe/contract/api/page';
import type { AuditChainVerifier } from '../../platform/audit-chain-verifier.ts';
import { listDailyAuditAnchors } from '../../store/audit-chain.ts';
import { paginateListForResponse } from '../list-page.ts';
import { defineReadOperation, type Operation } from '../operation.ts';

/** The operation that lists the last audit log hash of each day (`GET /api/management/audit/anchors`). */
export const listAuditAnchorsOperation = defineReadOperation({
  name: 'audit.anchors',
  method: 'GET',
  path: '/api/management/audit/anchors',
  scope: 'management',
  summary:
    'List the sequence number and hash of the last audit log entry of each day (UTC), newest first; store them outside Floe as anchors',
  answer: auditAnchorList,
  query: pageQuery,
  async run({ orgId, reader }, { query }) {
    const anchors = await listDailyAuditAnchors(reader, orgId);
    const data = anchors.map(({ seq, hash, at }) => ({ seq, hash, at: new Date(at).toISOString() }));
    return paginateListForResponse(data, ({ seq }) => ({ id: String(seq) }), query);
  },
});

/** Defines the operation that compares exported anchors with the current audit chain. */
export function defineVerifyAuditAnchorsOperation(verifier: AuditChainVerifier): Operation {
  return defineReadOperation({
    name: 'audit.verify',
    method: 'POST',
    path: '/api/management/audit/verify',
    scope: 'management',
    summary: 'Verify the audit log against previously exported anchors',
    body: auditVerificationInput,
    answer: auditVerificationResult,
    async run({ orgId, reader, clock }, { body }) {
      const { chain, anchors } = await verifier.verify(reader, orgId, body.anchors, clock);
      const anchorsMatch = anchors.every(({ status }) => status === 'matches' || status === 'expired');
      return {
        valid: chain.brokenAtSeq === null && anchorsMatch,
        broken_at: chain.brokenAtSeq,
        anchors: [...anchors],
      };
    },
  });
}
