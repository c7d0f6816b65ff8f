import type { KeyObject } from 'node:crypto';
import { listAllOrgs } from '../store/orgs.ts';
import { listSnapshotPlatformKeys } from '../store/platform-keys.ts';
import type { DatabaseReader } from '../store/ports.ts';
import { compileKeyring, type Keyring } from './keyring.ts';
import { toKeyRecords } from './stored-key.ts';

export interface PlatformOrg {
  readonly id: string;
  readonly name: string;
  /** The time zone that was set with the API. floe.yaml sets that of its organizations. */
  readonly timezone: string;
}

/** A snapshot's organizations and platform keys. Immutable. */
export interface PlatformSnapshot {
  readonly orgs: ReadonlyMap<string, PlatformOrg>;
  readonly keyring: Keyring;
}

/** How long requests with a revoked key get `key_revoked`. Afterwards the key is unknown. */
const REVOKED_KEY_RETENTION_MS = 90 * 24 * 60 * 60 * 1000;

/**
 * Loads the organizations and platform keys for a snapshot. `pepper` is the result of
 * `derivePepper`. While the snapshot is in use, `isCurrent` returns whether the process has
 * received all changes.
 */
export async function loadPlatformSnapshot(
  reader: DatabaseReader,
  pepper: KeyObject,
  nowMs: number,
  isCurrent?: () => boolean,
): Promise<PlatformSnapshot> {
  const [orgs, keys] = await Promise.all([
    listAllOrgs(reader),
    listSnapshotPlatformKeys(reader, nowMs - REVOKED_KEY_RETENTION_MS),
  ]);
  return {
    orgs: new Map(orgs.map(({ id, name, timezone }) => [id, { id, name, timezone: timezone ?? 'UTC' }])),
    keyring: compileKeyring(keys.flatMap(toKeyRecords), pepper, isCurrent),
  };
}
