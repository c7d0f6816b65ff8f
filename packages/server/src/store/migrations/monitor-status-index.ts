import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/**
 * The migration that adds the index of monitors that are not healthy, to count them for `/metrics`. It contains no
 * healthy monitors, because most beats are of healthy monitors, and would otherwise write to the index.
 */
export const monitorStatusIndexMigration: Migration = {
  number: 8,
  name: 'monitor-status-index',
  compatibleFrom: 1,
  async up(writer) {
    await sql`create index monitor_clocks_not_healthy on monitor_clocks (org_id, status) where status <> 'healthy'`.execute(
      writer,
    );
  },
};
