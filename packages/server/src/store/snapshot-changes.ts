import type { DatabaseReader } from './store-interfaces.ts';

/** What changed in the snapshot. Deleted rows are included. */
export interface SnapshotChanges {
  /** Number of the last change in this result. The next call starts after it. */
  readonly version: number;
  /**
   * Whether the log contains every change since the requested number. False if it ends before that number,
   * because the database was restored.
   */
  readonly isContinuous: boolean;
  /** Whether the result contains all changes. False if `limit` was reached. */
  readonly isComplete: boolean;
  /** Hashes of the key values that were added, changed or removed. */
  readonly keyHashes: readonly string[];
  /** Organizations whose configuration or rules changed. */
  readonly orgIds: readonly string[];
}

/** Returns the number of the last change to the snapshot; 0 if there was none. */
export async function getSnapshotVersion(reader: DatabaseReader): Promise<number> {
  const row = await reader
    .selectFrom('snapshot_changes')
    .select('seq')
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.seq ?? 0;
}

/**
 * Returns at most `limit` changes after `version`. Write transactions run one at a time, so a change with a
 * lower number is never committed later.
 */
export async function getSnapshotChanges(
  reader: DatabaseReader,
  version: number,
  limit: number,
): Promise<SnapshotChanges> {
  const found = await reader
    .selectFrom('snapshot_changes')
    .selectAll()
    // The log always has this number or a higher one.
    .where('seq', '>=', version)
    .orderBy('seq')
    .limit(limit)
    .execute();
  const rows = found.filter(({ seq }) => seq > version);
  const ids = (kind: string) => rows.filter((row) => row.kind === kind).map(({ id }) => id);
  return {
    version: rows.at(-1)?.seq ?? version,
    isContinuous: version === 0 || found.length > 0,
    isComplete: found.length < limit,
    keyHashes: ids('key'),
    orgIds: ids('org'),
  };
}
