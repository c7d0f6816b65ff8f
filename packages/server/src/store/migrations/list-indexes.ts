import type { Migration } from './migration.ts';

/**
 * The migration that adds the indexes for lists with a filter. It is part of the first release, so these
 * tables are still small when it runs.
 */
export const filteredListIndexesMigration: Migration = {
  number: 6,
  name: 'list-indexes',
  compatibleFrom: 1,
  async up(writer) {
    for (const { name, table, columns } of INDEXES)
      await writer.schema
        .createIndex(name)
        .on(table)
        .columns([...columns])
        .execute();
  },
};

const INDEXES = [
  { name: 'audit_by_subject', table: 'audit', columns: ['org_id', 'subject', 'at', 'id'] },
  { name: 'audit_by_actor', table: 'audit', columns: ['org_id', 'actor', 'at', 'id'] },
  { name: 'audit_by_action', table: 'audit', columns: ['org_id', 'action', 'at', 'id'] },
  { name: 'alerts_of_subject', table: 'alerts', columns: ['org_id', 'subject_id', 'at', 'id'] },
] as const;
