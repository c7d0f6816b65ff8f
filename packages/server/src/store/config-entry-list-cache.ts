import type { ConfigEntryRow } from './config-tables.ts';
import type { DatabaseReader, DatabaseWriter } from './store-interfaces.ts';

type ListKey = Pick<ConfigEntryRow, 'org_id' | 'kind'>;

const listsByTransaction = new WeakMap<DatabaseReader, Map<string, readonly ConfigEntryRow[]>>();

/**
 * Caches the lists of config entries that this transaction reads. Every write of an entry needs the list of
 * its kind. Without the cache, a transaction with many writes would read all entries again for each write.
 */
export function enableConfigEntryListCache(writer: DatabaseWriter): void {
  listsByTransaction.set(writer, new Map());
}

/**
 * Returns a list from the transaction's cache. Returns undefined if the transaction has not read the list or
 * has no cache.
 */
export function getCachedConfigEntryList(
  reader: DatabaseReader,
  key: ListKey,
): readonly ConfigEntryRow[] | undefined {
  return listsByTransaction.get(reader)?.get(formatListKey(key));
}

/** Adds a list that the transaction has read to its cache. Does nothing if the transaction has no cache. */
export function cacheConfigEntryList(
  reader: DatabaseReader,
  key: ListKey,
  list: readonly ConfigEntryRow[],
): void {
  listsByTransaction.get(reader)?.set(formatListKey(key), list);
}

/** Applies a change that the transaction has written to the cached list. */
export function updateCachedConfigEntryList(
  writer: DatabaseWriter,
  key: ListKey,
  change: (list: readonly ConfigEntryRow[]) => readonly ConfigEntryRow[],
): void {
  const list = getCachedConfigEntryList(writer, key);
  if (list) cacheConfigEntryList(writer, key, change(list).toSorted(compareEntries));
}

function formatListKey({ org_id, kind }: ListKey): string {
  return JSON.stringify([org_id, kind]);
}

/** The order of `listConfigEntriesOfOrg`: entries of floe.yaml first, then by position and id. */
function compareEntries(one: ConfigEntryRow, other: ConfigEntryRow): number {
  if (one.source !== other.source) return one.source > other.source ? -1 : 1;
  if (one.position !== other.position) return one.position - other.position;
  return one.id < other.id ? -1 : 1;
}
