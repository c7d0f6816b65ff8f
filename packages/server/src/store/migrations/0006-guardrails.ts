import type { ColumnDefinitionBuilder } from 'kysely';
import { type Migration, orderedText } from './migration.ts';

const required = (column: ColumnDefinitionBuilder) => column.notNull();
const key = (column: ColumnDefinitionBuilder) => column.notNull().primaryKey();

export const guardrails: Migration = {
  number: 6,
  name: 'guardrails',
  async up({ schema }, engine) {
    const text = orderedText(engine);
    await schema
      .createTable('budget_spend')
      .addColumn('org_id', text, required)
      .addColumn('bucket', text, required)
      .addColumn('spent_nano_usd', 'bigint', required)
      .addColumn('ends_at', 'bigint', required)
      .addColumn('updated_at', 'bigint', required)
      .addPrimaryKeyConstraint('budget_spend_key', ['org_id', 'bucket'])
      .execute();
    await schema.createIndex('budget_spend_by_change').on('budget_spend').columns(['updated_at']).execute();
    await schema
      .createTable('spend_journals')
      .addColumn('id', text, key)
      .addColumn('applied', 'bigint', required)
      .addColumn('updated_at', 'bigint', required)
      .execute();
    await schema
      .createTable('replicas')
      .addColumn('id', text, key)
      .addColumn('seen_at', 'bigint', required)
      .execute();
    for (const table of ['limits', 'budgets'])
      await schema
        .createTable(table)
        .addColumn('id', text, required)
        .addColumn('org_id', text, (column) => column.notNull().references('orgs.id'))
        .addColumn('rule_json', text, required)
        .addColumn('created_at', 'bigint', required)
        .addColumn('updated_at', 'bigint', required)
        .addColumn('updated_by', text, required)
        .addPrimaryKeyConstraint(`${table}_key`, ['org_id', 'id'])
        .execute();
  },
};
