import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** Which product and session a request came from, and what the provider's prompt cache saved. */
export const clientsAndSessions: Migration = {
  number: 27,
  name: 'clients-and-sessions',
  async up(writer) {
    const { schema } = writer;
    for (const column of ['client', 'session'] as const)
      await schema.alterTable('exchanges').addColumn(column, 'text').execute();
    await schema.alterTable('exchanges').addColumn('prompt_saved_nano_usd', 'bigint').execute();
    await sql`create index exchanges_by_session on exchanges (org_id, session, created_at, id)
      where session is not null`.execute(writer);
  },
};
