import type { AuditEntry } from '@floe/contract/api/audit';
import { formatAuditAction } from '../../data/audit-action-label.ts';
import { type FieldChange, findFieldChanges } from '../../data/field-changes.ts';
import { auditText } from './text.ts';

type AuditEntryContent = Pick<AuditEntry, 'action' | 'subject' | 'before' | 'after'>;

/** Describes a change, as in `Revoked key ci`. An action without a label is shown as recorded. */
export function formatAuditEntryTitle({ action, subject, before, after }: AuditEntryContent): string {
  // The subject is a session ID, which tells the reader nothing.
  if (action === 'sessions.create') return auditText.entry.signedIn;
  if (action === 'sessions.switch_org') return auditText.entry.switchedOrg;
  if (isReplacedKey(after)) return auditText.entry.replacedKey(subject);
  const name = resourceName(after) ?? resourceName(before) ?? subject;
  return formatAuditAction(action, name, before === null && after !== null);
}

/** Whether the entry records the replacement of a credential. Its fields do not contain the key. */
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

/** Returns the name that the actor had at the time of the change. */
export function formatActorName({ actor, actor_name, actor_kind }: AuditEntry): string {
  if (actor_kind === 'file') return 'floe.yaml';
  return actor_name ?? (actor_kind === 'system' ? auditText.entry.system(actor) : actor);
}

/** Returns the fields that a change modified. The list of changes shows the first one. */
export function listAuditFieldChanges({ before, after }: AuditEntryContent): readonly FieldChange[] {
  return findFieldChanges(before, after);
}

/**
 * Describes the first changed field and states how many other fields changed. Returns an empty string if the
 * entry contains no values to compare.
 */
export function formatFirstChange(entry: AuditEntryContent): string {
  if (entry.before === null || entry.after === null) return '';
  const [first, ...others] = listAuditFieldChanges(entry);
  if (!first) return '';
  const more = others.length > 0 ? auditText.entry.moreFields(others.length) : '';
  return `${auditText.entry.fieldChange(first.field, first.before || '–', first.after || '–')}${more}`;
}

/** The actions that the filter suggests. Users can type any other action. */
export const SUGGESTED_AUDIT_ACTIONS: readonly string[] = [
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
