import { firstTables } from './0001-first-tables.ts';
import { rollups } from './0002-rollups.ts';
import { alerts } from './0004-alerts.ts';
import { resources } from './0007-resources.ts';
import type { Migration } from './migration.ts';

/** In order, without gaps, forward only. */
export const MIGRATIONS: readonly Migration[] = [firstTables, rollups, alerts, resources];
