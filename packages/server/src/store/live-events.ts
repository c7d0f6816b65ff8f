import type { Json, JsonObject } from '@floe/contract/json';
import { sql } from 'kysely';
import { getDatabaseEngine } from './database-engine.ts';
import { getSetting, storeSetting } from './settings.ts';
import type { DatabaseReader, DatabaseWriter } from './store-interfaces.ts';

/** The topic of a live event. */
export type LiveEventTopic =
  | 'requests'
  | 'alerts'
  | 'audit'
  | 'breakers'
  | 'approvals'
  | 'config'
  | 'monitors';

/** An event for the event streams of one organization. */
export interface LiveEvent {
  readonly orgId: string;
  readonly topic: LiveEventTopic;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly data: JsonObject;
}

/** A position in commit order. Positions are compared by `xid` first. */
export interface LiveEventPosition {
  readonly xid: number;
  readonly seq: number;
}

/** A live event and its position. */
export interface StoredLiveEvent {
  readonly orgId: string;
  readonly topic: string;
  readonly at: number;
  readonly data: Json;
  readonly position: LiveEventPosition;
}

/** Maximum number of events per organization that stay readable. Older ones are deleted within a minute. */
const EVENTS_RETAINED_PER_ORG = 2_048;
const RETENTION_MS = 86_400_000;

/**
 * Publishes an event to the organization's event streams. The event is sent only if the transaction
 * commits.
 */
export async function publishLiveEvent(
  writer: DatabaseWriter,
  { orgId, topic, at, data }: LiveEvent,
): Promise<void> {
  await writer
    .insertInto('live_events')
    .values({ org_id: orgId, topic, at, data_json: JSON.stringify(data) })
    .execute();
}

/** Returns the current position. A reader that starts there gets only events that commit later. */
export async function getLatestLiveEventPosition(reader: DatabaseReader): Promise<LiveEventPosition> {
  if (getDatabaseEngine(reader) === 'postgres') {
    const [row] = await reader
      .selectFrom(sql<{ xmin: number }>`(select ${FIRST_RUNNING_XID} as xmin)`.as('head'))
      .select('xmin')
      .execute();
    return { xid: (row?.xmin ?? 1) - 1, seq: Number.MAX_SAFE_INTEGER };
  }
  // The table can be empty after its events were deleted.
  const [row] = await reader
    .selectFrom(sql<{ seq: number }>`(select seq from sqlite_sequence where name = 'live_events')`.as('head'))
    .select('seq')
    .execute();
  return { xid: 0, seq: row?.seq ?? 0 };
}

/**
 * Returns the position of an organization's latest event, or of an earlier one if `upTo` is given. Events of the
 * organization that commit later always have a later position.
 */
export async function getLatestOrgEventPosition(
  reader: DatabaseReader,
  orgId: string,
  upTo?: LiveEventPosition,
): Promise<LiveEventPosition> {
  let query = reader.selectFrom('live_events').select(['xid', 'seq']).where('org_id', '=', orgId);
  if (upTo) query = query.where(sql<boolean>`(xid, seq) <= (${upTo.xid}, ${upTo.seq})`);
  if (getDatabaseEngine(reader) === 'postgres') query = query.where(sql<boolean>`xid < ${FIRST_RUNNING_XID}`);
  const latest = await query.orderBy('xid', 'desc').orderBy('seq', 'desc').limit(1).executeTakeFirst();
  return latest ?? (await getRemovedPosition(reader, orgId));
}

/** Selects live events of several organizations in a range of positions. */
export interface LiveEventQuery {
  readonly orgIds: readonly string[];
  readonly after: LiveEventPosition;
  /** The last position, inclusive. If it is absent, events up to the latest one are returned. */
  readonly upTo?: LiveEventPosition;
  readonly limit: number;
}

/**
 * Returns committed events in order. Events that are committed later always have a position after that of the
 * last returned event.
 */
export async function listLiveEventsAfter(
  reader: DatabaseReader,
  { orgIds, after, upTo, limit }: LiveEventQuery,
): Promise<StoredLiveEvent[]> {
  if (orgIds.length === 0) return [];
  let query = reader
    .selectFrom('live_events')
    .selectAll()
    .where('org_id', 'in', [...orgIds])
    .where('xid', '>=', after.xid)
    .where(sql<boolean>`(xid, seq) > (${after.xid}, ${after.seq})`);
  if (upTo) query = query.where(sql<boolean>`(xid, seq) <= (${upTo.xid}, ${upTo.seq})`);
  if (getDatabaseEngine(reader) === 'postgres') query = query.where(sql<boolean>`xid < ${FIRST_RUNNING_XID}`);
  const rows = await query.orderBy('xid').orderBy('seq').limit(limit).execute();
  return rows.map((row) => ({
    orgId: row.org_id,
    topic: row.topic,
    at: row.at,
    data: JSON.parse(row.data_json),
    position: { xid: row.xid, seq: row.seq },
  }));
}

/**
 * Returns the data of an organization's events of one topic after a position, unsorted, and at most `limit`.
 * Also includes committed events whose position is not final yet.
 */
export async function listLiveEventData(
  reader: DatabaseReader,
  { orgId, topic, after, limit }: LiveEventDataQuery,
): Promise<Json[]> {
  const rows = await reader
    .selectFrom('live_events')
    .select('data_json')
    .where('org_id', '=', orgId)
    .where('topic', '=', topic)
    .where('xid', '>=', after.xid)
    .where(sql<boolean>`(xid, seq) > (${after.xid}, ${after.seq})`)
    .limit(limit)
    .execute();
  return rows.map(({ data_json }) => JSON.parse(data_json));
}

interface LiveEventDataQuery {
  readonly orgId: string;
  readonly topic: LiveEventTopic;
  readonly after: LiveEventPosition;
  readonly limit: number;
}

/** Returns whether position `one` comes after position `other`. */
export function isLiveEventPositionAfter(one: LiveEventPosition, other: LiveEventPosition): boolean {
  return one.xid > other.xid || (one.xid === other.xid && one.seq > other.seq);
}

/**
 * The id of the oldest running transaction. All transactions with a smaller id have ended, so that no earlier
 * events can appear.
 */
const FIRST_RUNNING_XID = sql<number>`(pg_snapshot_xmin(pg_current_snapshot())::text)::bigint`;

/** Returns whether all of an organization's events after a position are still stored. */
export async function hasAllLiveEventsAfter(
  reader: DatabaseReader,
  orgId: string,
  after: LiveEventPosition,
): Promise<boolean> {
  return !isLiveEventPositionAfter(await getRemovedPosition(reader, orgId), after);
}

/** Returns the position of the last deleted event of an organization. */
async function getRemovedPosition(reader: DatabaseReader, orgId: string): Promise<LiveEventPosition> {
  const text = (await getSetting(reader, removedPositionSetting(orgId))) ?? '';
  const [, xid = 0, seq = 0] = /^(\d{1,15})-(\d{1,16})$/.exec(text) ?? [];
  return { xid: Number(xid), seq: Number(seq) };
}

/**
 * Deletes events that are older than one day or exceed the maximum number per organization, and records the position
 * up to which events were deleted.
 */
export async function expireLiveEvents(writer: DatabaseWriter, nowMs: number): Promise<void> {
  for (const { id } of await writer.selectFrom('orgs').select('id').execute()) {
    const inOrder = writer.selectFrom('live_events').where('org_id', '=', id);
    const beyond = await inOrder
      .select(['xid', 'seq'])
      .orderBy('xid', 'desc')
      .orderBy('seq', 'desc')
      .offset(EVENTS_RETAINED_PER_ORG)
      .limit(1)
      .executeTakeFirst();
    const old = await inOrder
      .select(['xid', 'seq'])
      .where('at', '<', nowMs - RETENTION_MS)
      .orderBy('xid', 'desc')
      .orderBy('seq', 'desc')
      .limit(1)
      .executeTakeFirst();
    const last = [beyond, old].flatMap((row) => row ?? []).sort((a, b) => b.xid - a.xid || b.seq - a.seq)[0];
    if (!last) continue;
    await writer
      .deleteFrom('live_events')
      .where('org_id', '=', id)
      .where(sql<boolean>`(xid, seq) <= (${last.xid}, ${last.seq})`)
      .execute();
    await storeSetting(writer, removedPositionSetting(id), `${last.xid}-${last.seq}`);
  }
}

function removedPositionSetting(orgId: string): string {
  return `live_events_removed/${orgId}`;
}
