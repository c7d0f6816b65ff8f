import { auditEntry, auditQuery } from '@floe/contract/api/audit';
import { page } from '@floe/contract/api/page';
import { auditPage } from '../../store/audit.ts';
import { range } from '../time-range.ts';
import { readVerb } from '../verb.ts';
import { entryOf } from './audit-entry.ts';

export const listAudit = readVerb({
  name: 'audit.list',
  method: 'GET',
  path: '/api/management/audit',
  scope: 'management',
  summary: 'List changes, newest first',
  query: auditQuery,
  answer: page(auditEntry),
  async run({ orgId, reader }, { query }) {
    const { rows, nextCursor } = await auditPage(reader, { orgId, ...query, ...range(query) });
    return { data: rows.map(entryOf), next_cursor: nextCursor };
  },
});
