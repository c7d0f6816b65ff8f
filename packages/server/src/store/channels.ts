import type { Insertable, Selectable, Updateable } from 'kysely';
import type { ChannelsTable } from './alert-tables.ts';
import { getResourceListPage, type ListRequest, RESOURCE_LIST_COLUMNS, type RowPage } from './pagination.ts';
import type { DatabaseReader, DatabaseWriter } from './store-interfaces.ts';

export type ChannelRow = Selectable<ChannelsTable>;

export type NewChannelRow = Insertable<ChannelsTable>;
export type ChannelUpdate = Omit<Updateable<ChannelsTable>, 'id' | 'org_id' | 'created_at'>;

/**
 * Inserts a channel.
 * @throws Fault `conflict` if the organization already has a channel with this name
 */
export async function insertChannel(writer: DatabaseWriter, row: NewChannelRow): Promise<void> {
  await writer.insertInto('channels').values(row).execute();
}

/**
 * Updates a channel.
 * @throws Fault `conflict` if the organization has another channel with this name
 */
export async function updateChannel(
  writer: DatabaseWriter,
  id: string,
  change: ChannelUpdate,
): Promise<void> {
  await writer.updateTable('channels').set(change).where('id', '=', id).execute();
}

export async function deleteChannel(writer: DatabaseWriter, id: string): Promise<void> {
  await writer.deleteFrom('channels').where('id', '=', id).execute();
}

/** Returns the channels of the organizations in `orgIds`, or of all organizations if it is undefined. */
export function listAllChannels(reader: DatabaseReader, orgIds?: readonly string[]): Promise<ChannelRow[]> {
  let query = reader.selectFrom('channels').selectAll();
  if (orgIds !== undefined) query = query.where('org_id', 'in', orgIds);
  return query.orderBy('created_at').orderBy('id').execute();
}

/** Returns an organization's channel by id or name. */
export function findChannelByIdOrName(
  reader: DatabaseReader,
  orgId: string,
  idOrName: string,
): Promise<ChannelRow | undefined> {
  return reader
    .selectFrom('channels')
    .selectAll()
    .where('org_id', '=', orgId)
    .where(({ eb, or }) => or([eb('id', '=', idOrName), eb('name', '=', idOrName)]))
    .executeTakeFirst();
}

/** Returns a channel of any organization by id. */
export function findChannelById(reader: DatabaseReader, id: string): Promise<ChannelRow | undefined> {
  return reader.selectFrom('channels').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Returns a page of an organization's channels in the requested order. */
export function getChannelPage(reader: DatabaseReader, request: ListRequest): Promise<RowPage<ChannelRow>> {
  const rows = reader.selectFrom('channels').selectAll().where('org_id', '=', request.orgId);
  return getResourceListPage(reader, rows, RESOURCE_LIST_COLUMNS, request);
}

/** A channel that has a due message. */
export type DueChannel = Pick<ChannelRow, 'id' | 'org_id' | 'name'>;

/** Selects the channels to which a process can send messages next. */
export interface DueChannelQuery {
  readonly nowMs: number;
  /** Ids of the channels that the process already serves. */
  readonly serving: readonly string[];
  /** Ids of the organizations from which the process currently takes no further channel. */
  readonly busyOrgs: readonly string[];
  readonly maxPerOrg: number;
  readonly limit: number;
}

/**
 * Returns channels that have a due message and are not in a backoff after failures. Alternates between
 * organizations: first one channel of each organization, then a second one of each, and so on. Within an
 * organization, the channel that was served least recently comes first.
 */
export function listDueChannels(
  reader: DatabaseReader,
  { nowMs, serving, busyOrgs, maxPerOrg, limit }: DueChannelQuery,
): Promise<DueChannel[]> {
  return reader
    .selectFrom((query) => {
      let due = query
        .selectFrom('channels')
        .select(['id', 'org_id', 'name', 'leased_until'])
        .select(({ fn }) =>
          fn
            .agg<number>('row_number')
            .over((over) =>
              over.partitionBy('org_id').orderBy('leased_until').orderBy('backoff_until').orderBy('id'),
            )
            .as('place'),
        )
        .where('enabled', '=', 1)
        .where('leased_until', '<=', nowMs)
        .where('backoff_until', '<=', nowMs)
        .where(({ exists, selectFrom }) =>
          exists(
            selectFrom('alert_deliveries')
              .select('alert_deliveries.seq')
              .whereRef('alert_deliveries.channel_id', '=', 'channels.id')
              .where('state', '=', 'pending')
              .where('due_at', '<=', nowMs),
          ),
        );
      if (serving.length > 0) due = due.where('id', 'not in', serving);
      if (busyOrgs.length > 0) due = due.where('org_id', 'not in', busyOrgs);
      return due.as('due');
    })
    .select(['id', 'org_id', 'name'])
    .where('place', '<=', maxPerOrg)
    .orderBy('place')
    .orderBy('leased_until')
    .limit(limit)
    .execute();
}

/** A process's exclusive right to send to a channel for a limited time. */
export interface ChannelLease {
  readonly owner: string;
  readonly fromMs: number;
  readonly untilMs: number;
}

/**
 * Acquires or renews the lease on a channel. Returns true to exactly one of several concurrent
 * processes.
 */
export async function acquireChannelLease(
  writer: DatabaseWriter,
  id: string,
  { owner, fromMs, untilMs }: ChannelLease,
): Promise<boolean> {
  const { numUpdatedRows } = await writer
    .updateTable('channels')
    .set({ leased_by: owner, leased_until: untilMs })
    .where('id', '=', id)
    .where('enabled', '=', 1)
    .where(({ eb, or }) => or([eb('leased_until', '<=', fromMs), eb('leased_by', '=', owner)]))
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/**
 * Updates a channel whose lease belongs to `owner`. Returns false if another process has taken over
 * the lease.
 */
export async function updateLeasedChannel(
  writer: DatabaseWriter,
  id: string,
  owner: string,
  change: Pick<ChannelUpdate, 'leased_until' | 'backoff_until' | 'failures'>,
): Promise<boolean> {
  const { numUpdatedRows } = await writer
    .updateTable('channels')
    .set(change)
    .where('id', '=', id)
    .where('leased_by', '=', owner)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}
