import type { JsonObject } from '@floe/contract/json';
import type { Clock } from '../core/clock.ts';
import { newId } from '../core/ids.ts';
import type { Actor } from '../platform/actor.ts';
import { appendAuditEntry } from '../store/audit.ts';
import type { DatabaseWriter } from '../store/ports.ts';

/** A change as the audit log keeps it: views of the subject, never a secret. */
export interface AuditedChange {
  readonly subject: string;
  /** Null when the change created the subject. */
  readonly before: JsonObject | null;
  /** Null when the change removed it. */
  readonly after: JsonObject | null;
  /** Why, in the words of who asks. */
  readonly reason?: string | null | undefined;
}

/** A change that goes along with the one a verb is named for, under the name of its own verb. */
export interface AdditionalAuditedChange extends AuditedChange {
  readonly action: `${string}.${string}`;
  /** The org whose log it belongs in; absent: that of who asks. */
  readonly orgId?: string;
}

/** Belongs in the transaction of the change. */
export async function recordAuditedChange(
  writer: DatabaseWriter,
  dependencies: { readonly clock: Clock },
  actor: Actor,
  change: AdditionalAuditedChange,
) {
  const at = dependencies.clock.now();
  await appendAuditEntry(writer, {
    id: newId('aud', at),
    org_id: change.orgId ?? actor.orgId,
    at,
    actor: actor.id,
    actor_name: actor.name,
    action: change.action,
    subject: change.subject,
    before_json: change.before && JSON.stringify(change.before),
    after_json: change.after && JSON.stringify(change.after),
    reason: change.reason ?? null,
  });
}
