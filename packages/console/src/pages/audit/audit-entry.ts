import type { AuditEntry } from '@floe/contract/api/audit';
import { auditActionLabel } from '../../data/audit-action-label.ts';
import { type FieldChange, fieldChanges } from '../../data/field-changes.ts';

type AuditEntryContent = Pick<AuditEntry, 'action' | 'subject' | 'before' | 'after'>;

/** What happened in words: `Revoked key ci`. An action with no words of its own is told as the log has it. */
export function auditEntryTitle({ action, subject, before, after }: AuditEntryContent): string {
  // Its subject is the session, which nobody knows by its id.
  if (action === 'sessions.create') return 'Signed in';
  if (isReplacedKey(after)) return `Replaced provider key ${subject}`;
  const deed = auditActionLabel(action);
  return deed ? `${deed} ${resourceName(after) ?? resourceName(before) ?? subject}` : `${action} ${subject}`;
}

/** The entry of a provider whose key was replaced says so; its fields show nothing of it. */
function isReplacedKey(version: unknown): boolean {
  if (typeof version !== 'object' || version === null) return false;
  return Reflect.get(version, 'key') === 'replaced' || Reflect.get(version, 'keys_replaced') !== undefined;
}

function resourceName(version: unknown): string | null {
  if (typeof version !== 'object' || version === null) return null;
  for (const field of ['name', 'email', 'model']) {
    const value: unknown = Reflect.get(version, field);
    if (typeof value === 'string' && value !== '') return value;
  }
  return null;
}

/** Who did it: the name they had then. */
export function actorName({ actor, actor_name, actor_kind }: AuditEntry): string {
  if (actor_kind === 'file') return 'floe.yaml';
  return actor_name ?? (actor_kind === 'system' ? `Floe (${actor})` : actor);
}

/** Fields a change touched, the first of which stands in its row. */
export function auditFieldChanges({ before, after }: AuditEntryContent): readonly FieldChange[] {
  return fieldChanges(before, after);
}

/** `models: gpt-5 → gpt-5, claude` and how many more; empty when nothing was changed field by field. */
export function formatFirstChange(entry: AuditEntryContent): string {
  if (entry.before === null || entry.after === null) return '';
  const [first, ...others] = auditFieldChanges(entry);
  if (!first) return '';
  const more = others.length > 0 ? `, ${others.length} more` : '';
  return `${first.field}: ${first.before || '–'} → ${first.after || '–'}${more}`;
}

/** Kinds of changes, offered while one filters; every action of the API is one. */
export const AUDIT_ACTIONS: readonly string[] = [
  'keys.create',
  'keys.update',
  'keys.rotate',
  'keys.revoke',
  'members.update',
  'members.remove',
  'operators.grant',
  'operators.revoke',
  'invitations.create',
  'invitations.revoke',
  'providers.create',
  'providers.update',
  'routes.update',
  'policies.update',
  'budgets.update',
  'settings.update',
  'monitors.create',
  'sessions.create',
  'sign_in.fail',
];
