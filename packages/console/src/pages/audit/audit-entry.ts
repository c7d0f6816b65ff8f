import type { AuditEntry } from '@floe/contract/api/audit';
import { auditActionText } from '../../data/audit-action-label.ts';
import { type FieldChange, findFieldChanges } from '../../data/field-changes.ts';
import { auditText } from './text.ts';

type AuditEntryContent = Pick<AuditEntry, 'action' | 'subject' | 'before' | 'after'>;

/** A change in words: `Revoked key ci`. An action without a label is shown as it is recorded. */
export function auditEntryTitle({ action, subject, before, after }: AuditEntryContent): string {
  // The subject is the id of a session, which means nothing to the reader.
  if (action === 'sessions.create') return auditText.entry.signedIn;
  if (isReplacedKey(after)) return auditText.entry.replacedKey(subject);
  const name = resourceName(after) ?? resourceName(before) ?? subject;
  return auditActionText(action, name, before === null && after !== null);
}

/** Whether the entry records that a provider key was replaced. Its fields do not show the key. */
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

/** The name of the actor at the time of the change. */
export function actorName({ actor, actor_name, actor_kind }: AuditEntry): string {
  if (actor_kind === 'file') return 'floe.yaml';
  return actor_name ?? (actor_kind === 'system' ? auditText.entry.system(actor) : actor);
}

/** The fields that a change touched. The first one is shown in the list. */
export function auditFieldChanges({ before, after }: AuditEntryContent): readonly FieldChange[] {
  return findFieldChanges(before, after);
}

/** `models: gpt-5 → gpt-5, claude` and how many more; empty when the entry has no versions to compare. */
export function formatFirstChange(entry: AuditEntryContent): string {
  if (entry.before === null || entry.after === null) return '';
  const [first, ...others] = auditFieldChanges(entry);
  if (!first) return '';
  const more = others.length > 0 ? auditText.entry.moreFields(others.length) : '';
  return `${auditText.entry.fieldChange(first.field, first.before || '–', first.after || '–')}${more}`;
}

/** Actions that the filter suggests. Every action of the API can be typed. */
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
