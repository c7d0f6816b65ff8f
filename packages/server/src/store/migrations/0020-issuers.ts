import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** Which issuer's groups gave a membership, and which one a session began by. */
export const issuers: Migration = {
  number: 20,
  name: 'issuers',
  async up(database) {
    for (const table of ['members', 'sessions'])
      await database.schema.alterTable(table).addColumn('issuer', 'text').execute();
    // Who changed it last was the issuer, as "oidc <name>"; a hand since then means that nobody knows.
    await sql`update members set issuer = substr(updated_by, 6)
      where source = 'oidc' and updated_by like 'oidc %'`.execute(database);
  },
};
