import type { ColumnDefinitionBuilder } from 'kysely';
import { type Migration, orderedText } from './migration.ts';

const required = (column: ColumnDefinitionBuilder) => column.notNull();

export const storedTurns: Migration = {
  number: 5,
  name: 'stored-turns',
  async up({ schema }, engine) {
    const text = orderedText(engine);
    await schema
      .createTable('stored_turns')
      .addColumn('id', text, (column) => column.notNull().primaryKey())
      .addColumn('org_id', text, required)
      .addColumn('key_id', text, required)
      .addColumn('response_id', text, required)
      .addColumn('previous_id', text)
      .addColumn('created_at', 'bigint', required)
      .addColumn('origin', 'text', required)
      .addColumn('held', 'integer', required)
      .addColumn('sealed', 'text', required)
      .execute();
    await schema
      .createIndex('stored_turns_by_response')
      .on('stored_turns')
      .columns(['org_id', 'response_id', 'created_at'])
      .execute();
    await schema
      .createIndex('stored_turns_by_age')
      .on('stored_turns')
      .columns(['org_id', 'created_at'])
      .execute();
    // Retention asks of every old turn whether another was built on it.
    await schema.createIndex('stored_turns_by_previous').on('stored_turns').column('previous_id').execute();
  },
};
