import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/**
 * The migration that counts how often the recorded times of monitors were moved back. A process that does not know the
 * latest count writes no more times until it has read the clock again.
 */
export const monitorRewindCountMigration: Migration = {
  number: 9,
  name: 'monitor-rewind-count',
  compatibleFrom: 1,
  async up(writer) {
    await sql`alter table monitor_pulse add column rewind_count integer default 0 not null`.execute(writer);
  },
};
