import type { KeyObject } from 'node:crypto';
import { listAllOrgs } from '../store/orgs.ts';
import { listSnapshotPlatformKeys } from '../store/platform-keys.ts';
import type { DatabaseReader } from '../store/ports.ts';
import { compileKeyring, type Keyring } from './keyring.ts';
import { toKeyRecords } from './stored-key.ts';

export interface PlatformOrg {
  readonly id: string;
  readonly name: string;
  /** As it was set here; an org of floe.yaml has its own there. */
  readonly timezone: string;
}

/** The part of the snapshot that this module owns: organizations, members, keys and their permissions. Immutable. */
export interface PlatformSnapshot {
  readonly orgs: ReadonlyMap<string, PlatformOrg>;
  readonly keyring: Keyring;
}

/** How long the holder of a revoked key is told so; afterwards the key is unknown. */
const REVOKED_KEY_RETENTION_MS = 90 * 24 * 60 * 60 * 1000;

/**
 * Loads and compiles the slice. `pepper` is `derivePepper` of the installation's secret key; `isCurrent` says, as
 * long as the slice is in use, whether the store would have told of a newer one.
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
