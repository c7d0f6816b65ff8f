import type { Insertable, Selectable, Updateable } from 'kysely';
import type { ChannelsTable } from './alert-tables.ts';
import { DEFAULT_LIST_COLUMNS, getListPage, type ListRequest, type RowPage } from './pagination.ts';
import type { DatabaseReader, DatabaseWriter } from './ports.ts';

export type ChannelRow = Selectable<ChannelsTable>;

export type NewChannelRow = Insertable<ChannelsTable>;
export type ChannelUpdate = Omit<Updateable<ChannelsTable>, 'id' | 'org_id' | 'created_at'>;

/** @throws Fault `conflict` when the org has a channel of this name. */
export async function insertChannel(writer: DatabaseWriter, row: NewChannelRow): Promise<void> {
  await writer.insertInto('channels').values(row).execute();
}

/** @throws Fault `conflict` when the org has another channel of this name. */
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

/** Channels of every org. */
export function listAllChannels(reader: DatabaseReader): Promise<ChannelRow[]> {
  return reader.selectFrom('channels').selectAll().orderBy('created_at').orderBy('id').execute();
}

/** Channels of an org, by id or by name. */
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

/** The channel of this id, of whatever org. */
export function findChannelById(reader: DatabaseReader, id: string): Promise<ChannelRow | undefined> {
  return reader.selectFrom('channels').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Channels of an org, in the order asked for. */
export function getChannelPage(reader: DatabaseReader, request: ListRequest): Promise<RowPage<ChannelRow>> {
  const rows = reader.selectFrom('channels').selectAll().where('org_id', '=', request.orgId);
  return getListPage(reader, rows, DEFAULT_LIST_COLUMNS, request);
}

/** Channels that something is due to and that nobody delivers to or lets rest. */
export function listDueChannels(reader: DatabaseReader, nowMs: number, limit: number): Promise<ChannelRow[]> {
  return reader
    .selectFrom('channels')
    .selectAll()
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
    )
    .orderBy('backoff_until')
    .limit(limit)
    .execute();
}

/** The time in which one process alone sends to a channel. */
export interface ChannelLease {
  readonly owner: string;
  readonly fromMs: number;
  readonly untilMs: number;
}

/** Takes a channel for the owner of the lease, who may hold it already. Of several processes, exactly one is told `true`. */
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

/** Changes a channel that `owner` still holds; false when another process took it over. */
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
