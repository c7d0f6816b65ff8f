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

/** Number of objects by kind. */
export type PersonRecordCounts = Partial<Record<PersonRecordKind, number>>;

/** Adds `more` to the count of a kind. */
export function addPersonRecordCount(counts: PersonRecordCounts, kind: PersonRecordKind, more: number): void {
  counts[kind] = (counts[kind] ?? 0) + more;
}

/**
 * Returns an SQL condition that a text column contains the person. Ignores case, because keys in `floe.yaml`
 * may have an owner in any case.
 */
export function buildPersonCondition(
  column: RawBuilder<unknown>,
  { email, endUser }: Person,
): RawBuilder<boolean> {
  return email === null ? sql<boolean>`${column} = ${endUser}` : sql<boolean>`lower(${column}) = ${email}`;
}

/** Returns an SQL condition that the owner of a key is the person. It is never true for an end user. */
export function buildKeyOwnerCondition(person: Person): RawBuilder<boolean> {
  return person.email === null ? sql<boolean>`1 = 0` : buildPersonCondition(sql.ref('owner'), person);
}
