import { auditChainStatus } from '@floe/contract/api/audit';
import type { AuditChainVerifier } from '../../platform/audit-chain-verifier.ts';
import { defineReadOperation, type Operation } from '../operation.ts';

/** Defines the operation that verifies the hash chain of the stored audit entries. */
export function defineVerifyAuditChainOperation(verifier: AuditChainVerifier): Operation {
  return defineReadOperation({
    name: 'audit.check',
    method: 'GET',
    path: '/api/management/audit/chain',
    scope: 'management',
    summary: 'Verify that no retained audit log entry was changed or removed',
    answer: auditChainStatus,
    async run({ orgId, reader, clock }) {
      const { entries, firstSeq, lastSeq, lastHash, brokenAtSeq, checkedAt } = await verifier.check(
        reader,
        orgId,
        clock,
      );
      return {
        valid: brokenAtSeq === null,
        checked_at: new Date(checkedAt).toISOString(),
        entries,
        first_seq: firstSeq,
        last_seq: lastSeq,
        last_hash: lastHash,
        broken_at: brokenAtSeq,
      };
    },
  });
}
