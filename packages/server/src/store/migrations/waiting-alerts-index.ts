import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/**
 * The migration that re-creates the index on alerts without deliveries with the organization as its first column, to
 * speed up queries for one organization.
 */
export const waitingAlertsIndexMigration: Migration = {
  number: 7,
  name: 'waiting-alerts-index',
  compatibleFrom: 1,
  async up(writer) {
    await sql`drop index alerts_waiting`.execute(writer);
    await sql`create index alerts_waiting on alerts (org_id, seq) where routed_at is null`.execute(writer);
  },
};
