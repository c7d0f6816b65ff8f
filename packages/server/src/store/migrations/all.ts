import { firstTables } from './0001-first-tables.ts';
import { rollups } from './0002-rollups.ts';
import { guardrails } from './0006-guardrails.ts';
import type { Migration } from './migration.ts';

/** In order, without gaps, forward only. */
export const MIGRATIONS: readonly Migration[] = [firstTables, rollups, guardrails];
