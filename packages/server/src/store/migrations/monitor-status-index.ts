import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/**
 * The migration that adds the index of monitors that are not healthy, to count them for `/metrics`. The index contains no
 * healthy monitors, because most beats are for healthy monitors, and each of them would otherwise write to the index.
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
