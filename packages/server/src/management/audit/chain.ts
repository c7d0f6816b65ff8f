import { auditChain } from '@floe/contract/api/audit';
import { checkChain } from '../../store/audit.ts';
import { readVerb } from '../verb.ts';

export const checkAudit = readVerb({
  name: 'audit.check',
  method: 'GET',
  path: '/api/management/audit/chain',
  scope: 'management',
  summary: 'Check that no kept entry of the audit log was changed or taken out',
  answer: auditChain,
  async run({ orgId, reader }) {
    const { entries, firstSeq, lastSeq, lastHash, brokenAt } = await checkChain(reader, orgId);
    return {
      intact: brokenAt === null,
      entries,
      first_seq: firstSeq,
      last_seq: lastSeq,
      last_hash: lastHash,
      broken_at: brokenAt,
    };
  },
});
