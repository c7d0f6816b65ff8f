import type { KeyObject } from 'node:crypto';
import { listPlatformKeysByHash, listSnapshotPlatformKeys } from '../store/snapshot-platform-keys.ts';
import type { DatabaseReader } from '../store/store-interfaces.ts';
import {
  compileKeyring,
  type KeyRecord,
  REVOKED_KEY_RETENTION_MS,
  type ReplaceableKeyring,
} from './keyring.ts';
import { SharedKeyValues, toKeyRecords } from './stored-platform-key.ts';

/** Converting this many rows takes about 2 ms. In between, the event loop serves requests. */
const KEYS_PER_PAGE = 500;
const HASHES_PER_QUERY = 200;

/**
 * Loads the platform keys of all organizations. `pepper` is the result of `derivePlatformKeyPepper`. While the
 * keyring is in use, `isCurrent` returns whether the process has received all changes.
 */
export async function loadKeyring(
  reader: DatabaseReader,
  pepper: KeyObject,
  nowMs: number,
  isCurrent?: () => boolean,
): Promise<ReplaceableKeyring> {
  const page = (afterId: string) =>
    listSnapshotPlatformKeys(reader, nowMs - REVOKED_KEY_RETENTION_MS, afterId, KEYS_PER_PAGE);
  const shared = new SharedKeyValues();
  let keyring = compileKeyring([], pepper, isCurrent);
  let next = page('');
  for (;;) {
    const rows = await next;
    const last = rows.at(-1);
    if (!last) return keyring;
    // The database reads the next page while this one is converted.
    next = page(last.id);
    // If the conversion fails, nothing else handles its error.
    next.catch(() => undefined);
    const records = rows.flatMap((row) => toKeyRecords(row, shared));
    keyring = keyring.replace(new Map(records.map((record) => [record.hash, record])));
  }
}

/**
 * Returns the keyring with the stored state of the key values with these hashes. Reads only the
 * rows of these keys.
 */
export async function refreshKeyring(
  keyring: ReplaceableKeyring,
  reader: DatabaseReader,
  hashes: readonly string[],
): Promise<ReplaceableKeyring> {
  const changed = new Map<string, KeyRecord | null>(hashes.map((hash) => [hash, null]));
  const shared = new SharedKeyValues();
  for (let at = 0; at < hashes.length; at += HASHES_PER_QUERY)
    for (const row of await listPlatformKeysByHash(reader, hashes.slice(at, at + HASHES_PER_QUERY)))
      for (const record of toKeyRecords(row, shared))
        if (changed.has(record.hash)) changed.set(record.hash, record);
  return keyring.replace(changed);
}
