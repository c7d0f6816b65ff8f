import type { JsonObject } from '@floe/contract/json';
import type { Clock } from '../../core/clock.ts';
import { createId } from '../../core/ids.ts';
import { appendAuditEntry } from '../../store/audit-entries.ts';
import { listMembershipsWithRoles } from '../../store/console-sessions.ts';
import { findMemberWithUser } from '../../store/members.ts';
import { listOrgs } from '../../store/orgs.ts';
import type { DatabaseWriter } from '../../store/store-interfaces.ts';

/** An audit entry about an account: a sign-in, or a change of its credentials, sessions or roles. */
export interface AccountAuditEntry {
  readonly orgId: string;
  readonly actor: string;
  readonly action: string;
  readonly subject: string;
  readonly before?: JsonObject;
  /** Details of the event. They never contain a password, a token or a mistyped address. */
  readonly after?: JsonObject;
}

/** Appends an audit entry about an account. Adds the id, the time and the email address of the member. */
export async function auditAccountEvent(
  writer: DatabaseWriter,
  clock: Clock,
  entry: AccountAuditEntry,
): Promise<void> {
  const at = clock.now();
  const isMember = entry.actor.startsWith('mem_');
  const member = isMember ? await findMemberWithUser(writer, entry.orgId, entry.actor) : undefined;
  await appendAuditEntry(writer, {
    id: createId('aud', at),
    org_id: entry.orgId,
    at,
    actor: entry.actor,
    actor_name: member?.email ?? null,
    action: entry.action,
    subject: entry.subject,
    before_json: entry.before === undefined ? null : JSON.stringify(entry.before),
    after_json: entry.after === undefined ? null : JSON.stringify(entry.after),
  });
}

/**
 * Records a failed sign-in in the account's organizations. For an unknown account, records it in
 * the installation's first organization. An entry is written in both cases, so that the duration does
 * not reveal whether the account exists.
 */
export async function auditFailedSignIn(
  writer: DatabaseWriter,
  clock: Clock,
  userId: string | null,
  after: { readonly method: string; readonly address: string; readonly paused_ms: number },
): Promise<void> {
  const standings = userId === null ? [] : await listMembershipsWithRoles(writer, userId, null);
  const [first] = standings.length > 0 ? [] : await listOrgs(writer);
  const told = first
    ? [{ orgId: first.id, subject: 'unknown' }]
    : standings.map(({ org_id, member_id }) => ({ orgId: org_id, subject: member_id }));
  for (const { orgId, subject } of told) {
    await auditAccountEvent(writer, clock, {
      orgId,
      actor: 'sign-in',
      action: 'sign_in.fail',
      subject,
      after,
    });
    if (after.paused_ms > 0)
      await auditAccountEvent(writer, clock, {
        orgId,
        actor: 'sign-in',
        action: 'sign_in.throttle',
        subject,
        after,
      });
  }
}
