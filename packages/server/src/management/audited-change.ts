import type { JsonObject } from '@floe/contract/json';
import type { Clock } from '../core/clock.ts';
import { createId } from '../core/ids.ts';
import type { Actor } from '../platform/actor.ts';
import { appendAuditEntries, type NewAuditEntry } from '../store/audit-entries.ts';
import type { DatabaseWriter } from '../store/store-interfaces.ts';

/**
 * A change in the form that the audit log records: the subject before and after the change, without
 * secrets.
 */
export interface AuditedChange {
  readonly subject: string;
  /** Null if the change created the subject. */
  readonly before: JsonObject | null;
  /** Null if the change removed the subject. */
  readonly after: JsonObject | null;
  /** The reason that the caller gave. */
  readonly reason?: string | null | undefined;
}

/**
 * A further change that an operation causes. It is recorded under the name of the operation that
 * normally makes such a change.
 */
export interface SecondaryAuditedChange extends AuditedChange {
  readonly action: `${string}.${string}`;
  /** The org whose audit log records it. Absent: the org of the actor. */
  readonly orgId?: string;
}

/** Appends changes to the audit log, in order. Must be called in the transaction that makes the changes. */
export function recordAuditedChanges(
  writer: DatabaseWriter,
  dependencies: { readonly clock: Clock },
  actor: Actor,
  changes: readonly SecondaryAuditedChange[],
): Promise<void> {
  const at = dependencies.clock.now();
  return appendAuditEntries(
    writer,
    changes.map(
      (change): NewAuditEntry => ({
        id: createId('aud', at),
        org_id: change.orgId ?? actor.orgId,
        at,
        actor: actor.id,
        actor_name: actor.name,
        action: change.action,
        subject: change.subject,
        before_json: change.before && JSON.stringify(change.before),
        after_json: change.after && JSON.stringify(change.after),
        reason: change.reason ?? null,
      }),
    ),
  );
}
