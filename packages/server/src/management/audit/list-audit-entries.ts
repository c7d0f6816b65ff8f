import { auditEntry, auditListQuery } from '@floe/contract/api/audit';
import { createPageSchema } from '@floe/contract/api/page';
import { getAuditEntryPage } from '../../store/audit-entries.ts';
import { defineReadOperation } from '../operation.ts';
import { parseTimeRange } from '../time-range.ts';
import { toAuditEntryResource } from './audit-entry-resource.ts';

/** The operation that lists audit log entries (`GET /api/management/audit`). */
export const listAuditEntriesOperation = defineReadOperation({
  name: 'audit.list',
  method: 'GET',
  path: '/api/management/audit',
  scope: 'management',
  summary: 'List audit log entries, newest first',
  query: auditListQuery,
  answer: createPageSchema(auditEntry),
  async run({ orgId, reader }, { query }) {
    const { rows, nextCursor } = await getAuditEntryPage(reader, {
      orgId,
      ...query,
      ...parseTimeRange(query),
    });
    return { data: rows.map(toAuditEntryResource), next_cursor: nextCursor };
  },
});
