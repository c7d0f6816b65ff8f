import { auditAnchorList, auditVerification, auditVerified } from '@floe/contract/api/audit';
import { pageQuery } from '@floe/contract/api/page';
import type { AuditChains } from '../../platform/audit-chains.ts';
import { dailyAnchors } from '../../store/audit-chain.ts';
import { listPage } from '../list-page.ts';
import { readVerb, type Verb } from '../verb.ts';

export const listAnchors = readVerb({
  name: 'audit.anchors',
  method: 'GET',
  path: '/api/management/audit/anchors',
  scope: 'management',
  summary: 'List what the audit chain ended with on each day, to be kept elsewhere',
  answer: auditAnchorList,
  query: pageQuery,
  async run({ orgId, reader }, { query }) {
    const anchors = await dailyAnchors(reader, orgId);
    const data = anchors.map(({ seq, hash, at }) => ({ seq, hash, at: new Date(at).toISOString() }));
    return listPage(data, ({ seq }) => ({ id: String(seq) }), query);
  },
});

export function verifyAudit(chains: AuditChains): Verb {
  return readVerb({
    name: 'audit.verify',
    method: 'POST',
    path: '/api/management/audit/verify',
    scope: 'management',
    summary: 'Check the audit log against anchors that were exported before',
    body: auditVerification,
    answer: auditVerified,
    async run({ orgId, reader, clock }, { body }) {
      const { chain, anchors } = await chains.verify(reader, orgId, body.anchors, clock);
      const fits = anchors.every(({ status }) => status === 'matches' || status === 'expired');
      return { intact: chain.brokenAt === null && fits, broken_at: chain.brokenAt, anchors: [...anchors] };
    },
  });
}
