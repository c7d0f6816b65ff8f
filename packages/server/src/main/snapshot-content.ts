import type { LoadedConfig } from '../config/load-config.ts';
import { systemClock } from '../core/clock.ts';
import type { CompiledKeyring } from '../platform/keyring.ts';
import { loadKeyring, refreshKeyring } from '../platform/load-keyring.ts';
import { getSnapshotChanges, getSnapshotVersion } from '../store/snapshot-changes.ts';
import { type CompiledConfig, compileConfig } from './compile-config.ts';
import type { OrgCompilationDependencies } from './compile-orgs.ts';
import type { ServerComponents } from './server-components.ts';

/** Everything that is loaded for a snapshot. Immutable. */
export interface SnapshotContent {
  /** The number of the last change that it contains (`getSnapshotChanges`). */
  readonly version: number;
  readonly keyring: CompiledKeyring;
  readonly config: CompiledConfig;
}

const CHANGES_PER_PAGE = 1_000;

/**
 * Returns the content of a snapshot with everything that was committed before the call. With
 * `before`, reads the log of changes and then only the rows of the changed keys and organizations.
 * Without it, or if the database was restored, loads everything. If it fails, `before` is still valid.
 *
 * @param isCurrent whether the process has received all changes, see `loadKeyring`
 */
export async function refreshSnapshotContent(
  before: SnapshotContent | null,
  file: LoadedConfig,
  parts: OrgCompilationDependencies & Pick<ServerComponents, 'pepper'>,
  isCurrent?: () => boolean,
): Promise<SnapshotContent> {
  const reader = parts.database.read;
  // The version is read first. A change during the load is then read again.
  let version = before?.version ?? (await getSnapshotVersion(reader));
  let keyring = before?.keyring ?? (await loadKeyring(reader, parts.pepper, systemClock.now(), isCurrent));
  let config = before?.config ?? (await compileConfig(file, parts));
  const orgIds = new Set<string>();
  for (;;) {
    const changes = await getSnapshotChanges(reader, version, CHANGES_PER_PAGE);
    if (!changes.isContinuous) return refreshSnapshotContent(null, file, parts, isCurrent);
    version = changes.version;
    if (changes.keyHashes.length > 0) keyring = await refreshKeyring(keyring, reader, changes.keyHashes);
    for (const id of changes.orgIds) orgIds.add(id);
    if (changes.isComplete) break;
  }
  config = await compileConfig(file, parts, config, orgIds);
  return { version, keyring, config };
}
