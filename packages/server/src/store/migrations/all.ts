import { firstTables } from './0001-first-tables.ts';
import { rollups } from './0002-rollups.ts';
import { alerts } from './0004-alerts.ts';
import type { Migration } from './migration.ts';

/** In order, without gaps, forward only. */
export const MIGRATIONS: readonly Migration[] = [firstTables, rollups, alerts];
