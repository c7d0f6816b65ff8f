import { sql } from 'kysely';
import type { InvitationRow } from '../invitations.ts';
import { escapeLikePattern } from '../pagination.ts';
import type { PlatformKeyRow } from '../platform-keys.ts';
import type { DatabaseReader } from '../store-interfaces.ts';
import { buildKeyOwnerCondition, type Person } from './person.ts';

/** Returns the person's keys in the organization, including revoked ones. */
export async function listPlatformKeysOfPerson(
  reader: DatabaseReader,
  person: Person,
): Promise<PlatformKeyRow[]> {
  if (person.email === null) return [];
  return reader
    .selectFrom('platform_keys')
    .selectAll()
    .where('org_id', '=', person.orgId)
    .where(buildKeyOwnerCondition(person))
    .orderBy('id')
    .execute();
}

/** Returns the invitations to the person's email address. */
export async function listInvitationsOfPerson(
  reader: DatabaseReader,
  { orgId, email }: Person,
): Promise<InvitationRow[]> {
  if (email === null) return [];
  return reader
    .selectFrom('invitations')
    .selectAll()
    .where('org_id', '=', orgId)
    .where(sql<boolean>`lower(email) = ${email}`)
    .orderBy('id')
    .execute();
}

/** Returns the saved views that the person created, including shared ones. */
export async function listSavedViewsOfPerson(reader: DatabaseReader, { orgId, memberIds }: Person) {
  if (memberIds.length === 0) return [];
  return reader
    .selectFrom('views')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('owner', 'in', memberIds)
    .orderBy('id')
    .execute();
}

/** Returns the person's console sessions in the organization. */
export async function listConsoleSessionsOfPerson(reader: DatabaseReader, { orgId, userId }: Person) {
  if (userId === null) return [];
  return reader
    .selectFrom('sessions')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('user_id', '=', userId)
    .orderBy('id')
    .execute();
}

/** Returns the roles that groups of identity providers grant the person in the organization. */
export async function listMemberRoleGrantsOfPerson(reader: DatabaseReader, { orgId, userId }: Person) {
  if (userId === null) return [];
  return reader
    .selectFrom('member_grants')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('user_id', '=', userId)
    .orderBy('issuer')
    .execute();
}

/**
 * Returns the records of the person's removal from the organization. They prevent groups from adding the
 * person again.
 */
export async function listMemberRemovalsOfPerson(reader: DatabaseReader, { orgId, userId }: Person) {
  if (userId === null) return [];
  return reader
    .selectFrom('removed_members')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('user_id', '=', userId)
    .execute();
}

/** Matches the part of a budget's counter name before the subject, as `BudgetBuckets` writes it. */
const BUDGET_BUCKET_PREFIX = /^b:.+:[a-z]+:(?:\d{4}-\d\d-\d\d|ever)$/s;

/** Returns the counters of budgets that count the person separately. */
export async function listBudgetCountersOfPerson(reader: DatabaseReader, person: Person) {
  const rows = await reader
    .selectFrom('budget_spend')
    .selectAll()
    .where('org_id', '=', person.orgId)
    .where(buildBudgetBucketCondition('bucket', person))
    .orderBy('bucket')
    .execute();
  return rows.filter(({ bucket }) => isBudgetBucketOfPerson(bucket, person));
}

/** Returns the alerts about budgets that count the person separately. Their subject id is the counter's name. */
export async function listBudgetAlertsOfPerson(reader: DatabaseReader, person: Person) {
  const rows = await reader
    .selectFrom('alerts')
    .select(['id', 'at as created_at', 'subject_id as bucket', 'subject_name as budget', 'fields_json'])
    .where('org_id', '=', person.orgId)
    .where('subject_kind', '=', 'budget')
    .where(buildBudgetBucketCondition('subject_id', person))
    .orderBy('seq')
    .execute();
  return rows.filter(({ bucket }) => isBudgetBucketOfPerson(bucket, person));
}

/** Matches all counters of the person, and possibly others: `isBudgetBucketOfPerson` decides. */
function buildBudgetBucketCondition(column: 'bucket' | 'subject_id', { email, endUser }: Person) {
  const pattern = `b:%${escapeLikePattern(`:${email ?? endUser}`)}`;
  const text = email === null ? sql.ref(column) : sql`lower(${sql.ref(column)})`;
  return sql<boolean>`${text} like ${pattern} escape '!'`;
}

/** A subject may contain colons, so the end of a counter's name may belong to a longer subject. */
function isBudgetBucketOfPerson(bucket: string, { email, endUser }: Person): boolean {
  const suffix = `:${email ?? endUser}`;
  const subject = bucket.slice(-suffix.length);
  const isSame = email === null ? subject === suffix : subject.toLowerCase() === suffix;
  return isSame && BUDGET_BUCKET_PREFIX.test(bucket.slice(0, -suffix.length));
}
