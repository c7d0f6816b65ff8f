import { type AuditEntry, auditEntry, auditQuery } from '@floe/contract/api/audit';
import { page } from '@floe/contract/api/page';
import { type AuditRow, auditPage } from '../../store/audit.ts';
import { range } from '../range.ts';
import { readVerb } from '../verb.ts';

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

function entryOf(row: AuditRow): AuditEntry {
  return {
    id: row.id,
    at: new Date(row.at).toISOString(),
    actor: row.actor,
    action: row.action,
    subject: row.subject,
    before: row.before_json === null ? null : JSON.parse(row.before_json),
    after: row.after_json === null ? null : JSON.parse(row.after_json),
  };
}
