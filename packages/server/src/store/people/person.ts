import type { PersonRecordKind } from '@floe/contract/api/people';
import { type RawBuilder, sql } from 'kysely';

/** A person in one organization: a member or key owner with an email address, or an end user. */
export interface Person {
  readonly orgId: string;
  /** Email address in lower case. Null for an end user. */
  readonly email: string | null;
  /** Id of the end user. Null for a member or key owner. */
  readonly endUser: string | null;
  /** Id of the person's account. Null if there is none. */
  readonly userId: string | null;
  /** Ids of the current and former memberships in the organization, current first. */
  readonly memberIds: readonly string[];
}

/** The number of records that contain data of a person, by the kind of the record. */
export type PersonRecordCounts = Partial<Record<PersonRecordKind, number>>;

/** Adds `more` to the count of a kind. */
export function addPersonRecordCount(counts: PersonRecordCounts, kind: PersonRecordKind, more: number): void {
  counts[kind] = (counts[kind] ?? 0) + more;
}

/**
 * Returns an SQL condition that is true if a text column equals the person's email address or end user id.
 * Ignores the case of email addresses, because keys in `floe.yaml` may have an owner in any case.
 */
export function buildPersonCondition(
  column: RawBuilder<unknown>,
  { email, endUser }: Person,
): RawBuilder<boolean> {
  return email === null ? sql<boolean>`${column} = ${endUser}` : sql<boolean>`lower(${column}) = ${email}`;
}

/** Returns an SQL condition that is true if the person owns a key. It is never true for an end user. */
export function buildKeyOwnerCondition(person: Person): RawBuilder<boolean> {
  return person.email === null ? sql<boolean>`1 = 0` : buildPersonCondition(sql.ref('owner'), person);
}
