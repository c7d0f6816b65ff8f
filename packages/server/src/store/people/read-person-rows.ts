import { sql } from 'kysely';
import { selectExchangesById } from '../exchanges.ts';
import type { TimePosition } from '../pagination.ts';
import type { DatabaseReader, ExchangeRow } from '../store-interfaces.ts';
import type { StoredResponseRow } from '../stored-responses.ts';
import { buildKeyOwnerCondition, buildPersonCondition, type Person } from './person.ts';
import type { RelayRecordTable, RelaySessionReference } from './person-relay-rows.ts';

const DAY_MS = 86_400_000;

/** Returns the requests at the given positions, oldest first. */
export function listExchangesAtPositions(
  reader: DatabaseReader,
  orgId: string,
  places: readonly TimePosition[],
): Promise<ExchangeRow[]> {
  const times = places.map(({ at }) => at);
  const range = { from: Math.min(...times), to: Math.max(...times) };
  return selectExchangesById(
    reader,
    places.map(({ id }) => id),
    range,
    [],
  )
    .where('org_id', '=', orgId)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

/**
 * Returns the ids at the given positions that are requests of the person. Bodies and stored responses are created within a
 * day of their request.
 */
export async function listRequestIdsOfPerson(
  reader: DatabaseReader,
  person: Person,
  places: readonly TimePosition[],
): Promise<ReadonlySet<string>> {
  const times = places.map(({ at }) => at);
  const rows = await reader
    .selectFrom('exchanges')
    .select('id')
    .where('org_id', '=', person.orgId)
    .where('created_at', '>=', Math.min(...times) - DAY_MS)
    .where('created_at', '<=', Math.max(...times) + DAY_MS)
    .where(
      'id',
      'in',
      places.map(({ id }) => id),
    )
    .where(
      person.endUser === null
        ? buildKeyOwnerCondition(person)
        : buildPersonCondition(sql.ref('end_user'), person),
    )
    .execute();
  return new Set(rows.map(({ id }) => id));
}

/**
 * Returns the given ids that have a row in `table`. Returns no content. Content can be large, so callers must
 * read it one row at a time.
 */
export async function listStoredContentIds(
  reader: DatabaseReader,
  table: 'stored_bodies' | 'stored_responses',
  orgId: string,
  ids: readonly string[],
): Promise<string[]> {
  const rows = await reader
    .selectFrom(table)
    .select('id')
    .where('org_id', '=', orgId)
    .where('id', 'in', ids)
    .orderBy('id')
    .execute();
  return rows.map(({ id }) => id);
}

/** Returns the stored response of the request with this id. */
export function findStoredResponseByRequestId(
  reader: DatabaseReader,
  orgId: string,
  id: string,
): Promise<StoredResponseRow | undefined> {
  return reader
    .selectFrom('stored_responses')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Returns the relay records with these ids as they are stored. */
export function listRelayRecords(
  reader: DatabaseReader,
  table: RelayRecordTable,
  orgId: string,
  ids: readonly string[],
): Promise<object[]> {
  return reader
    .selectFrom(table)
    .selectAll()
    .where('org_id', '=', orgId)
    .where('id', 'in', ids)
    .orderBy('id')
    .execute();
}

/** Returns the row of a session; undefined if there is none. */
export function findRelaySession(
  reader: DatabaseReader,
  orgId: string,
  { keyId, sessionId }: RelaySessionReference,
): Promise<object | undefined> {
  return reader
    .selectFrom('relay_sessions')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('session_id', '=', sessionId)
    .where('key_id', '=', keyId)
    .executeTakeFirst();
}
