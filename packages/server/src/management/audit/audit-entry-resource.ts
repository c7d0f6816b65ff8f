import type { AuditEntry } from '@floe/contract/api/audit';
import type { AuditEntryRow } from '../../store/audit-entries.ts';

/** Converts an audit row to the API format. */
export function toAuditEntryResource(row: AuditEntryRow): AuditEntry {
  return {
    id: row.id,
    at: new Date(row.at).toISOString(),
    actor: row.actor,
    actor_name: row.actor_name,
    actor_kind: actorKindOf(row.actor),
    action: row.action,
    subject: row.subject,
    before: row.before_json === null ? null : JSON.parse(row.before_json),
    after: row.after_json === null ? null : JSON.parse(row.after_json),
    ip_address: row.ip_address,
    session_id: row.session_id,
    reason: row.reason,
    seq: row.seq,
    hash: row.hash,
  };
}

function actorKindOf(actor: string): AuditEntry['actor_kind'] {
  if (actor.startsWith('key_')) return 'key';
  if (actor.startsWith('mem_')) return 'member';
  return actor === 'file' ? 'file' : 'system';
}
