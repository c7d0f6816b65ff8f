import { type ColumnDefinitionBuilder, sql } from 'kysely';
import { type Migration, orderedText } from './migration.ts';

const required = (column: ColumnDefinitionBuilder) => column.notNull();

/** Responses that their provider makes in the background: what they cost is known when they have ended. */
export const backgroundResponses: Migration = {
  number: 24,
  name: 'background-responses',
  async up({ schema }, engine) {
    const text = orderedText(engine);
    await schema
      .createTable('background_responses')
      .addColumn('id', text, (column) => column.primaryKey().notNull())
      .addColumn('org_id', text, required)
      .addColumn('response_id', text, required)
      .addColumn('origin', text, required)
      .addColumn('created_at', 'bigint', required)
      .addColumn('expires_at', 'bigint', required)
      .addColumn('owner', text, required)
      .addColumn('owner_until', 'bigint', required)
      .addColumn('next_at', 'bigint', required)
      .addColumn('tries', 'integer', required)
      .addColumn('exchange_json', 'text', required)
      .modifyEnd(engine === 'sqlite' ? sql`without rowid` : sql``)
      .execute();
    await schema
      .createIndex('background_responses_by_response')
      .on('background_responses')
      .columns(['org_id', 'response_id'])
      .execute();
  },
};
