import { getSetting, storeSetting } from './settings.ts';
import type { DatabaseReader, DatabaseWriter } from './store-interfaces.ts';

const SETTING_PREFIX = 'cache_purges:';

/** Returns the number of cache purges by organization. Organizations without purges are omitted. */
export async function getCachePurgeCountsByOrg(reader: DatabaseReader): Promise<ReadonlyMap<string, number>> {
  const rows = await reader
    .selectFrom('settings')
    .select(['name', 'value'])
    .where('name', '>=', SETTING_PREFIX)
    .where('name', '<', `${SETTING_PREFIX}\uffff`)
    .execute();
  return new Map(rows.map(({ name, value }) => [name.slice(SETTING_PREFIX.length), Number(value)]));
}

/** Returns how many times an organization purged its cache. */
export async function getCachePurgeCount(reader: DatabaseReader, orgId: string): Promise<number> {
  return Number((await getSetting(reader, SETTING_PREFIX + orgId)) ?? 0);
}

/**
 * Increments an organization's purge count and returns the previous count. The count is part of the
 * cache key, so that responses from before the purge are no longer found.
 */
export async function incrementCachePurgeCount(writer: DatabaseWriter, orgId: string): Promise<number> {
  const before = await getCachePurgeCount(writer, orgId);
  await storeSetting(writer, SETTING_PREFIX + orgId, String(before + 1));
  return before;
}
