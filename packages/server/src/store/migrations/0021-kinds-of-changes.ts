import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** Changes of some kinds, found without walking over all of the others (`auditPage`). */
export const kindsOfChanges: Migration = {
  number: 21,
  name: 'kinds-of-changes',
  async up(writer) {
    await sql`create index audit_by_kind on audit
      (org_id, (rtrim(action, 'abcdefghijklmnopqrstuvwxyz_')), at, id)`.execute(writer);
  },
};
