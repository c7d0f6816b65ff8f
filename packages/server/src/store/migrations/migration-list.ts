import { baselineMigration } from './baseline.ts';
import { importedKeysMigration } from './imported-keys.ts';
import type { Migration } from './migration.ts';
import { monitorFileStateMigration } from './monitor-file-state.ts';

/**
 * In order, forward only: what a release has applied is never changed. A database takes what comes after the last
 * number it has.
 */
export const MIGRATIONS: readonly Migration[] = [
  baselineMigration,
  importedKeysMigration,
  monitorFileStateMigration,
];
