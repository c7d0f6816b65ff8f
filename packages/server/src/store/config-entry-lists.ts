import type { Selectable } from 'kysely';
import type { ConfigEntriesTable } from './config-tables.ts';
import type { DatabaseReader, DatabaseWriter } from './store-interfaces.ts';

type ConfigEntryRow = Selectable<ConfigEntriesTable>;
type ListKey = Pick<ConfigEntryRow, 'org_id' | 'kind'>;

const listsByTransaction = new WeakMap<DatabaseReader, Map<string, readonly ConfigEntryRow[]>>();

/**
 * Keeps the lists of config entries that this transaction reads. Every write of an entry needs the list of its
 * kind, so that a transaction with many writes would read all entries for each of them.
 */
export function keepConfigEntryLists(writer: DatabaseWriter): void {
  listsByTransaction.set(writer, new Map());
}

/** Returns the list that the transaction has kept. Undefined if it has not read the list yet. */
export function getKeptConfigEntryList(
  reader: DatabaseReader,
  key: ListKey,
): readonly ConfigEntryRow[] | undefined {
  return listsByTransaction.get(reader)?.get(formatListKey(key));
}

/** Keeps a list that the transaction has read, if it keeps lists. */
export function keepConfigEntryList(
  reader: DatabaseReader,
  key: ListKey,
  list: readonly ConfigEntryRow[],
): void {
  listsByTransaction.get(reader)?.set(formatListKey(key), list);
}

/** Applies to the kept list the change that the transaction has written. */
export function changeKeptConfigEntryList(
  writer: DatabaseWriter,
  key: ListKey,
  change: (list: readonly ConfigEntryRow[]) => readonly ConfigEntryRow[],
): void {
  const list = getKeptConfigEntryList(writer, key);
  if (list) keepConfigEntryList(writer, key, change(list).toSorted(compareEntries));
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
