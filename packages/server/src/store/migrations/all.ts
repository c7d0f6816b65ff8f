import { firstTables } from './0001-first-tables.ts';
import { rollups } from './0002-rollups.ts';
import { storedTurns } from './0005-stored-turns.ts';
import type { Migration } from './migration.ts';

/** In order, forward only. */
export const MIGRATIONS: readonly Migration[] = [firstTables, rollups, storedTurns];
