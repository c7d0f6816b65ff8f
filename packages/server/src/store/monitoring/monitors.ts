import { monitorFieldsStoredAsIs } from '@floe/contract/config/monitoring';
import type { DatabaseReader, DatabaseWriter } from '../store-interfaces.ts';
import { buildUpsertStatement, upsertRows } from './batch-statements.ts';
import type { MonitorStateRow } from './monitoring-rows.ts';
import type { MonitorsTable } from './monitoring-tables.ts';

export type MonitorRow = MonitorsTable;

export function findMonitorById(
  reader: DatabaseReader,
  orgId: string,
  id: string,
): Promise<MonitorRow | undefined> {
  return reader
    .selectFrom('monitors')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Returns an organization's monitors with these ids, unsorted. Removed monitors are omitted. */
export async function listMonitorsById(
  reader: DatabaseReader,
  orgId: string,
  ids: readonly string[],
): Promise<MonitorRow[]> {
  if (ids.length === 0) return [];
  return reader
    .selectFrom('monitors')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('id', 'in', [...ids])
    .where('disabled_at', 'is', null)
    .execute();
}

/** Returns the monitors of the organizations in `orgIds`, or of all if it is undefined. Includes removed monitors. */
export function listAllMonitors(reader: DatabaseReader, orgIds?: readonly string[]): Promise<MonitorRow[]> {
  let query = reader.selectFrom('monitors').selectAll();
  if (orgIds !== undefined) query = query.where('org_id', 'in', orgIds);
  return query.orderBy('org_id').orderBy('id').execute();
}

/** Returns an organization's monitors, including removed ones, sorted by id. */
export function listMonitorsOfOrg(reader: DatabaseReader, orgId: string): Promise<MonitorRow[]> {
  return reader.selectFrom('monitors').selectAll().where('org_id', '=', orgId).orderBy('id').execute();
}

const MONITOR_COLUMNS = [
  'uid',
  'org_id',
  'id',
  ...monitorFieldsStoredAsIs.keyof().options,
  'interval_ms',
  'cron',
  'timezone',
  'grace_ms',
  'first_beat_due_ms',
  'fail_counts_as_miss',
  'tags_json',
  'channels_json',
  'paused',
  'paused_until',
  'muted_until',
  'file_state',
  'token_version',
  'disabled_at',
  'source',
  'source_file',
  'source_line',
  'created_at',
  'updated_at',
  'updated_by',
] as const satisfies readonly (keyof MonitorsTable)[];

const UPSERT_MONITORS = buildUpsertStatement('monitors', MONITOR_COLUMNS);

/**
 * Inserts monitor definitions, or replaces those with the same uid.
 * @throws Fault `conflict` if an organization has another monitor with one of the ids
 */
export function upsertMonitors(writer: DatabaseWriter, rows: readonly MonitorRow[]): Promise<void> {
  return upsertRows(writer, UPSERT_MONITORS, MONITOR_COLUMNS, rows);
}

/** Returns the state rows of monitors by uid. */
export async function getMonitorStatesByUid(
  reader: DatabaseReader,
  uids: readonly string[],
): Promise<Map<string, MonitorStateRow>> {
  if (uids.length === 0) return new Map();
  const rows = await reader
    .selectFrom('monitor_clocks')
    .selectAll()
    .where('uid', 'in', [...uids])
    .execute();
  return new Map(rows.map((row) => [row.uid, row]));
}

/** Maximum number of ids per statement. */
const IDS_PER_STATEMENT = 1_000;

/** Returns the monitors among the given ones that wait for their first beat. */
export async function listMonitorsWithoutBeat(
  reader: DatabaseReader,
  monitors: readonly { readonly orgId: string; readonly id: string }[],
): Promise<Pick<MonitorStateRow, 'org_id' | 'id'>[]> {
  const found: Pick<MonitorStateRow, 'org_id' | 'id'>[] = [];
  for (const [orgId, own] of Map.groupBy(monitors, (monitor) => monitor.orgId))
    for (let at = 0; at < own.length; at += IDS_PER_STATEMENT)
      found.push(
        ...(await reader
          .selectFrom('monitor_clocks')
          .select(['org_id', 'id'])
          .where('org_id', '=', orgId)
          .where(
            'id',
            'in',
            own.slice(at, at + IDS_PER_STATEMENT).map(({ id }) => id),
          )
          .where('status', '=', 'waiting')
          .where('last_beat_at', 'is', null)
          .execute()),
      );
  return found;
}

/** Returns the ids of the organizations of the monitors with these beat URLs, by the hash of the token. */
export async function getOrgIdsByBeatTokenHash(
  reader: DatabaseReader,
  tokenHashes: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await reader
    .selectFrom('monitor_clocks')
    .select(['token_hash', 'org_id'])
    .where('token_hash', 'in', tokenHashes)
    .execute();
  return new Map(rows.map(({ token_hash, org_id }) => [token_hash, org_id]));
}

/** Returns an organization's default grace period in milliseconds; undefined if it has not set one. */
export async function getDefaultGraceMs(reader: DatabaseReader, orgId: string): Promise<number | undefined> {
  const row = await reader
    .selectFrom('monitor_defaults')
    .select('grace_ms')
    .where('org_id', '=', orgId)
    .executeTakeFirst();
  return row?.grace_ms;
}

export async function setDefaultGraceMs(
  writer: DatabaseWriter,
  orgId: string,
  graceMs: number,
): Promise<void> {
  await writer
    .insertInto('monitor_defaults')
    .values({ org_id: orgId, grace_ms: graceMs })
    .onConflict((conflict) => conflict.column('org_id').doUpdateSet({ grace_ms: graceMs }))
    .execute();
}
