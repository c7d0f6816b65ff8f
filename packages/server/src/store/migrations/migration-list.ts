import { activeKeysIndexMigration } from './active-keys-index.ts';
import { baselineMigration } from './baseline.ts';
import { configFileMonitorStateMigration } from './config-file-monitor-state.ts';
import { importedKeysMigration } from './imported-keys.ts';
import { filteredListIndexesMigration } from './list-indexes.ts';
import type { Migration } from './migration.ts';
import { monitorRewindCountMigration } from './monitor-rewind-count.ts';
import { monitorStatusIndexMigration } from './monitor-status-index.ts';
import { releaseCompatibilityMigration } from './release-compatibility.ts';
import { snapshotChangesMigration } from './snapshot-changes.ts';
import { waitingAlertsIndexMigration } from './waiting-alerts-index.ts';

/**
 * All migrations in order. A released migration must never be changed. Floe applies the migrations whose
 * number is higher than that of the last migration applied to the database.
 */
export const MIGRATIONS: readonly Migration[] = [
  baselineMigration,
  importedKeysMigration,
  configFileMonitorStateMigration,
  releaseCompatibilityMigration,
  snapshotChangesMigration,
  filteredListIndexesMigration,
  waitingAlertsIndexMigration,
  monitorStatusIndexMigration,
  monitorRewindCountMigration,
  activeKeysIndexMigration,
];

/**
 * Returns the number of the newest migration in a list; 0 if the list is empty. It identifies the schema of a
 * release.
 */
export function getNewestMigrationNumber(migrations: readonly Migration[] = MIGRATIONS): number {
  return migrations.at(-1)?.number ?? 0;
}
