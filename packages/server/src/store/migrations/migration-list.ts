import { baselineMigration } from './baseline.ts';
import { importedKeysMigration } from './imported-keys.ts';
import type { Migration } from './migration.ts';
import { monitorFileStateMigration } from './monitor-file-state.ts';
import { snapshotChangesMigration } from './snapshot-changes.ts';

/**
 * All migrations in order. A released migration never changes. A database runs the migrations whose
 * number is higher than its last applied one.
 */
export const MIGRATIONS: readonly Migration[] = [
  baselineMigration,
  importedKeysMigration,
  monitorFileStateMigration,
  snapshotChangesMigration,
];
