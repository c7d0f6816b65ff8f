import type { PersonRecordKind } from '@floe/contract/api/people';
import { type RawBuilder, sql } from 'kysely';

/** A person in one organization: a member or key owner with `email`, or an end user. */
export interface Person {
  readonly orgId: string;
  /** In lower case. Null for an end user. */
  readonly email: string | null;
  /** Null for a member or key owner. */
  readonly endUser: string | null;
  /** Null if the organization knows no account of the person. */
  readonly userId: string | null;
  /** Ids of the current and former memberships in the organization, current first. */
  readonly memberIds: readonly string[];
}

/** Number of objects by kind. */
export type PersonCounts = Partial<Record<PersonRecordKind, number>>;

/** Adds to the count of a kind. */
export function addToCount(counts: PersonCounts, kind: PersonRecordKind, more: number): void {
  counts[kind] = (counts[kind] ?? 0) + more;
}

/** Whether a text column contains the person. Keys of `floe.yaml` may have an owner in any case. */
export function matchesPerson(column: RawBuilder<unknown>, { email, endUser }: Person): RawBuilder<boolean> {
  return email === null ? sql<boolean>`${column} = ${endUser}` : sql<boolean>`lower(${column}) = ${email}`;
}

/** Whether a column with the owner of a key contains the person. Never true for an end user. */
export function matchesOwner(person: Person): RawBuilder<boolean> {
  return person.email === null ? sql<boolean>`1 = 0` : matchesPerson(sql.ref('owner'), person);
}
