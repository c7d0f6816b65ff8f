import type { PlatformKeyRow } from './platform-keys.ts';
import type { DatabaseReader } from './store-interfaces.ts';

/** The columns of a key that the snapshot contains. */
const SNAPSHOT_COLUMNS = [
  ...([
    'id',
    'org_id',
    'name',
    'hash',
    'prefix',
    'last4',
    'scopes_json',
    'models_json',
    'paths_json',
  ] as const),
  ...(['team', 'owner', 'expires_at', 'revoked_at', 'previous_hash', 'previous_prefix'] as const),
  ...(['previous_last4', 'previous_until', 'rotated_at'] as const),
] satisfies (keyof PlatformKeyRow)[];

/** The fields of a platform key that the snapshot contains. */
export type SnapshotPlatformKeyRow = Pick<PlatformKeyRow, (typeof SNAPSHOT_COLUMNS)[number]>;

/**
 * Returns up to `limit` keys of all organizations whose id is greater than `afterId`, in the order of their
 * ids. Includes expired keys and keys that were revoked since `revokedSinceMs`, so that their callers receive
 * the reason for the rejection.
 */
export function listSnapshotPlatformKeys(
  reader: DatabaseReader,
  revokedSinceMs: number,
  afterId: string,
  limit: number,
): Promise<SnapshotPlatformKeyRow[]> {
  return reader
    .selectFrom('platform_keys')
    .select(SNAPSHOT_COLUMNS)
    .where('id', '>', afterId)
    .where(({ eb, or }) => or([eb('revoked_at', 'is', null), eb('revoked_at', '>=', revokedSinceMs)]))
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Returns the keys whose current value, or whose value before the last rotation, has one of these hashes. */
export function listPlatformKeysByHash(
  reader: DatabaseReader,
  hashes: readonly string[],
): Promise<SnapshotPlatformKeyRow[]> {
  return reader
    .selectFrom('platform_keys')
    .select(SNAPSHOT_COLUMNS)
    .where(({ eb, or }) => or([eb('hash', 'in', hashes), eb('previous_hash', 'in', hashes)]))
    .execute();
}

/** Returns an organization's keys that are neither revoked nor expired. */
export function listActivePlatformKeys(
  reader: DatabaseReader,
  orgId: string,
  nowMs: number,
): Promise<SnapshotPlatformKeyRow[]> {
  return reader
    .selectFrom('platform_keys')
    .select(SNAPSHOT_COLUMNS)
    .where('org_id', '=', orgId)
    .where('revoked_at', 'is', null)
    .where(({ eb, or }) => or([eb('expires_at', 'is', null), eb('expires_at', '>', nowMs)]))
    .execute();
}
