import { auditChain } from '@floe/contract/api/audit';
import type { AuditChains } from '../../platform/audit-chains.ts';
import { readVerb, type Verb } from '../verb.ts';

export function checkAudit(chains: AuditChains): Verb {
  return readVerb({
    name: 'audit.check',
    method: 'GET',
    path: '/api/management/audit/chain',
    scope: 'management',
    summary: 'Check that no kept entry of the audit log was changed or taken out',
    answer: auditChain,
    async run({ orgId, reader, clock }) {
      const { entries, firstSeq, lastSeq, lastHash, brokenAt, checkedAt } = await chains.check(
        reader,
        orgId,
        clock,
      );
      return {
        intact: brokenAt === null,
        checked_at: new Date(checkedAt).toISOString(),
        entries,
        first_seq: firstSeq,
        last_seq: lastSeq,
        last_hash: lastHash,
        broken_at: brokenAt,
      };
    },
  });
}
