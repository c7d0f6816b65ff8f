import type { KeyObject } from 'node:crypto';
import { allOrgs } from '../store/orgs.ts';
import { snapshotKeys } from '../store/platform-keys.ts';
import type { Reader } from '../store/ports.ts';
import { compileKeyring, type Keyring } from './keyring.ts';
import { keyRecordsOf } from './stored-key.ts';

export interface Org {
  readonly id: string;
  readonly name: string;
  /** As it was set here; an org of floe.yaml has its own there. */
  readonly timezone: string;
}

/** This room's slice of the snapshot: who exists and who may do what. Immutable. */
export interface Platform {
  readonly orgs: ReadonlyMap<string, Org>;
  readonly keyring: Keyring;
}

/** How long the holder of a revoked key is told so; afterwards the key is unknown. */
const REVOKED_KNOWN_MS = 90 * 24 * 60 * 60 * 1000;

/**
 * Loads and compiles the slice. `pepper` is `derivePepper` of the installation's secret key; `isCurrent` says, as
 * long as the slice is in use, whether the store would have told of a newer one.
 */
export async function loadPlatform(
  reader: Reader,
  pepper: KeyObject,
  nowMs: number,
  isCurrent?: () => boolean,
): Promise<Platform> {
  const [orgs, keys] = await Promise.all([allOrgs(reader), snapshotKeys(reader, nowMs - REVOKED_KNOWN_MS)]);
  return {
    orgs: new Map(orgs.map(({ id, name, timezone }) => [id, { id, name, timezone: timezone ?? 'UTC' }])),
    keyring: compileKeyring(keys.flatMap(keyRecordsOf), pepper, isCurrent),
  };
}
