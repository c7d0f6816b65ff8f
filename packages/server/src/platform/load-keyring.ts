import type { KeyObject } from 'node:crypto';
import { listPlatformKeysByHash, listSnapshotPlatformKeys } from '../store/snapshot-platform-keys.ts';
import type { DatabaseReader } from '../store/store-interfaces.ts';
import { type CompiledKeyring, compileKeyring, type KeyRecord, REVOKED_KEY_RETENTION_MS } from './keyring.ts';
import { InternedKeyFields, toKeyRecords } from './stored-platform-key.ts';

/** Converting this many rows takes about 2 ms. In between, the event loop serves requests. */
const KEYS_PER_PAGE = 500;
const HASHES_PER_QUERY = 200;

/**
 * Loads the platform keys of all organizations.
 * @param pepper The result of `derivePlatformKeyPepper`.
 * @param isCurrent Returns whether this process has received all changes. The keyring calls it when a key is
 * unknown.
 */
export async function loadKeyring(
  reader: DatabaseReader,
  pepper: KeyObject,
  nowMs: number,
  isCurrent?: () => boolean,
): Promise<CompiledKeyring> {
  const page = (afterId: string) =>
    listSnapshotPlatformKeys(reader, nowMs - REVOKED_KEY_RETENTION_MS, afterId, KEYS_PER_PAGE);
  const shared = new InternedKeyFields();
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
 * Returns a keyring in which the records with these hashes match the database. All other records are those of
 * `keyring`. Reads only the keys with these hashes from the database.
 */
export async function refreshKeyring(
  keyring: CompiledKeyring,
  reader: DatabaseReader,
  hashes: readonly string[],
): Promise<CompiledKeyring> {
  const changed = new Map<string, KeyRecord | null>(hashes.map((hash) => [hash, null]));
  const shared = new InternedKeyFields();
  for (let at = 0; at < hashes.length; at += HASHES_PER_QUERY)
    for (const row of await listPlatformKeysByHash(reader, hashes.slice(at, at + HASHES_PER_QUERY)))
      for (const record of toKeyRecords(row, shared))
        if (changed.has(record.hash)) changed.set(record.hash, record);
  return keyring.replace(changed);
}
