import type { PersonRecordKind } from '@floe/contract/api/people';
import { sql } from 'kysely';
import { deleteAlerts } from '../alerts.ts';
import { deleteExchangeMetadata } from '../exchange-metadata.ts';
import type { TimePosition } from '../pagination.ts';
import type { Database, DatabaseWriter } from '../store-interfaces.ts';
import { erasePersonFromRollups } from './erase-person-from-rollups.ts';
import { addPersonRecordCount, type Person, type PersonRecordCounts } from './person.ts';
import { listBudgetAlertsOfPerson, listBudgetCountersOfPerson } from './person-account-rows.ts';
import {
  deleteRelaySessions,
  extractDistinctRelaySessions,
  listRelayRecordIdsOfSession,
  listRelaySessionsOfPerson,
  RELAY_RECORD_TABLES,
  type RelaySessionReference,
} from './person-relay-rows.ts';
import {
  HIGH_VOLUME_PERSON_TABLES,
  type HighVolumePersonTable,
  PERSON_ROWS_PER_BATCH,
  scanPersonRows,
} from './scan-person-rows.ts';

type DeletableTable = Exclude<HighVolumePersonTable, 'exchanges'>;

const KIND_OF_TABLE: Readonly<Record<HighVolumePersonTable, PersonRecordKind>> = {
  exchanges: 'request',
  stored_bodies: 'request_body',
  stored_responses: 'stored_response',
  relay_decisions: 'relay_decision',
  relay_reports: 'relay_report',
  relay_approvals: 'relay_approval',
};

/** The input and the progress of an erasure. */
export interface PersonErasure {
  readonly database: Pick<Database, 'read' | 'transaction'>;
  readonly person: Person;
  /** The number of erased objects by kind, which the erasure updates. */
  readonly counts: PersonRecordCounts;
  readonly signal: AbortSignal;
  /** Called after each transaction. */
  onProgress(): void;
}

/**
 * Erases the rows of a person in transactions of at most 500 requests or records: deletes bodies, stored
 * responses and relay records, and removes the person from requests and rollups. Counts and costs stay. An
 * interrupted erasure can be repeated, because each transaction leaves a consistent state.
 * @throws the reason of the signal if it is aborted
 */
export async function erasePersonRows(erasure: PersonErasure): Promise<void> {
  const { database, person, signal } = erasure;
  // Before the requests, because these name the sessions of an end user.
  for await (const places of scanPersonRows(database.read, 'exchanges', person)) {
    signal.throwIfAborted();
    await eraseRequests(erasure, places);
  }
  for (const table of HIGH_VOLUME_PERSON_TABLES)
    if (table !== 'exchanges')
      for await (const places of scanPersonRows(database.read, table, person)) {
        signal.throwIfAborted();
        await deleteRows(
          erasure,
          table,
          places.map(({ id }) => id),
        );
      }
  await eraseOwnedSessions(erasure);
  await erasePersonFromRollups(database, person, signal);
  await eraseBudgetCounters(erasure);
  await eraseBudgetAlerts(erasure);
}

async function eraseRequests(erasure: PersonErasure, places: readonly TimePosition[]): Promise<void> {
  const { database, person, counts } = erasure;
  const ids = places.map(({ id }) => id);
  const times = places.map(({ at }) => at);
  const range = { from: Math.min(...times), to: Math.max(...times) };
  if (person.endUser !== null) {
    const rows = await database.read
      .selectFrom('exchanges')
      .select(['key_id', 'session'])
      .where('org_id', '=', person.orgId)
      .where('created_at', '>=', range.from)
      .where('created_at', '<=', range.to)
      .where('id', 'in', ids)
      .execute();
    await eraseSessionRecords(erasure, extractDistinctRelaySessions(rows));
  }
  const erased = await database.transaction(async (writer) => ({
    request_body: await deleteByIds(writer, 'stored_bodies', person.orgId, ids),
    stored_response: await deleteByIds(writer, 'stored_responses', person.orgId, ids),
    request: await pseudonymizeRequests(writer, person, ids, range),
  }));
  for (const kind of ['request', 'request_body', 'stored_response'] as const)
    addPersonRecordCount(counts, kind, erased[kind]);
  erasure.onProgress();
}

/** Removes the person from requests. Returns the number of requests that contained the person. */
async function pseudonymizeRequests(
  writer: DatabaseWriter,
  person: Person,
  ids: readonly string[],
  { from, to }: { readonly from: number; readonly to: number },
): Promise<number> {
  const rows = await writer
    .selectFrom('exchanges')
    .select(['id', 'created_at', 'metadata_json'])
    .where('org_id', '=', person.orgId)
    .where('created_at', '>=', from)
    .where('created_at', '<=', to)
    .where('id', 'in', ids)
    .execute();
  await deleteExchangeMetadata(writer, person.orgId, rows);
  // The key of an end user's request belongs to another person. Names of personal keys can contain the name of the person.
  const owner = person.endUser === null ? { owner: null, key_name: sql<string>`key_id` } : {};
  const { numUpdatedRows } = await writer
    .updateTable('exchanges')
    .set({ ...owner, end_user: null, session: null, metadata_json: null })
    .where('org_id', '=', person.orgId)
    .where('created_at', '>=', from)
    .where('created_at', '<=', to)
    .where('id', 'in', ids)
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

/** Deletes the relay records of sessions in batches. */
async function eraseSessionRecords(
  erasure: PersonErasure,
  sessions: readonly RelaySessionReference[],
): Promise<void> {
  const { database, person, counts, signal } = erasure;
  for (const session of sessions)
    for (const table of RELAY_RECORD_TABLES)
      for (;;) {
        signal.throwIfAborted();
        const ids = await listRelayRecordIdsOfSession(database.read, table, person.orgId, session);
        if (ids.length === 0) break;
        await deleteRows(erasure, table, ids);
      }
  if (sessions.length === 0) return;
  addPersonRecordCount(
    counts,
    'relay_session',
    await database.transaction((writer) => deleteRelaySessions(writer, person.orgId, sessions)),
  );
}

async function eraseOwnedSessions({ database, person, counts, signal, onProgress }: PersonErasure) {
  for (;;) {
    signal.throwIfAborted();
    const sessions = await listRelaySessionsOfPerson(database.read, person);
    if (sessions.length === 0) return;
    const deleted = await database.transaction((writer) =>
      deleteRelaySessions(writer, person.orgId, sessions),
    );
    addPersonRecordCount(counts, 'relay_session', deleted);
    onProgress();
  }
}

async function eraseBudgetCounters({ database, person, counts }: PersonErasure): Promise<void> {
  const buckets = (await listBudgetCountersOfPerson(database.read, person)).map(({ bucket }) => bucket);
  if (buckets.length === 0) return;
  await database.transaction((writer) =>
    writer
      .deleteFrom('budget_spend')
      .where('org_id', '=', person.orgId)
      .where('bucket', 'in', buckets)
      .execute(),
  );
  addPersonRecordCount(counts, 'budget_counter', buckets.length);
}

async function eraseBudgetAlerts({ database, person, counts, signal, onProgress }: PersonErasure) {
  const ids = (await listBudgetAlertsOfPerson(database.read, person)).map(({ id }) => id);
  for (let at = 0; at < ids.length; at += PERSON_ROWS_PER_BATCH) {
    signal.throwIfAborted();
    const batch = ids.slice(at, at + PERSON_ROWS_PER_BATCH);
    await database.transaction((writer) => deleteAlerts(writer, batch));
    addPersonRecordCount(counts, 'budget_alert', batch.length);
    onProgress();
  }
}

async function deleteRows(
  erasure: PersonErasure,
  table: DeletableTable,
  ids: readonly string[],
): Promise<void> {
  const { database, person, counts } = erasure;
  const deleted = await database.transaction((writer) => deleteByIds(writer, table, person.orgId, ids));
  addPersonRecordCount(counts, KIND_OF_TABLE[table], deleted);
  erasure.onProgress();
}

async function deleteByIds(
  writer: DatabaseWriter,
  table: DeletableTable,
  orgId: string,
  ids: readonly string[],
): Promise<number> {
  const { numDeletedRows } = await writer
    .deleteFrom(table)
    .where('org_id', '=', orgId)
    .where('id', 'in', ids)
    .executeTakeFirst();
  return Number(numDeletedRows);
}
