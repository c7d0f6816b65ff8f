import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/**
 * The migration that adds the index on the platform keys that snapshots and floe.yaml need. Revoked keys that were
 * created with the API are kept forever, and clients can create any number of them.
 */
export const activeKeysIndexMigration: Migration = {
  number: 10,
  name: 'active-keys-index',
  compatibleFrom: 1,
  async up(writer) {
    await sql`create index platform_keys_active on platform_keys (org_id, id)
      where revoked_at is null or source = 'file'`.execute(writer);
  },
};
