import type { ColumnDefinitionBuilder } from 'kysely';
import { type Migration, orderedText } from './migration.ts';

const required = (column: ColumnDefinitionBuilder) => column.notNull();

/** Providers, routes, policies and settings that are made by the API, beside those of floe.yaml; answers to creations. */
export const configEntries: Migration = {
  number: 12,
  name: 'config-entries',
  async up({ schema }, engine) {
    const text = orderedText(engine);
    await schema
      .createTable('config_entries')
      .addColumn('org_id', text, (column) => column.notNull().references('orgs.id'))
      .addColumn('kind', text, required)
      .addColumn('id', text, required)
      .addColumn('row_id', text, required)
      .addColumn('position', 'integer', required)
      .addColumn('entry_json', text, required)
      .addColumn('secrets_sealed', text)
      .addColumn('secrets_version', 'integer', required)
      .addColumn('source', text, required)
      .addColumn('source_line', 'integer')
      .addColumn('created_at', 'bigint', required)
      .addColumn('updated_at', 'bigint', required)
      .addColumn('updated_by', text, required)
      .addPrimaryKeyConstraint('config_entries_key', ['org_id', 'kind', 'id'])
      .execute();
    await schema
      .createTable('provider_credentials')
      .addColumn('id', text, (column) => column.notNull().primaryKey())
      .addColumn('org_id', text, (column) => column.notNull().references('orgs.id'))
      .addColumn('provider_id', text, required)
      .addColumn('name', text, required)
      .addColumn('weight', 'double precision', required)
      .addColumn('origin', text, required)
      .addColumn('last4', text, required)
      .addColumn('sealed', text, required)
      .addColumn('version', 'integer', required)
      .addColumn('tested_at', 'bigint')
      .addColumn('test_json', text)
      .addColumn('created_at', 'bigint', required)
      .addColumn('updated_at', 'bigint', required)
      .addColumn('updated_by', text, required)
      .addUniqueConstraint('provider_credentials_name', ['org_id', 'provider_id', 'name'])
      .execute();
    await schema
      .createTable('creations')
      .addColumn('org_id', text, (column) => column.notNull().references('orgs.id'))
      .addColumn('verb', text, required)
      .addColumn('idempotency_key', text, required)
      .addColumn('request_hash', text, required)
      .addColumn('sealed', text, required)
      .addColumn('expires_at', 'bigint', required)
      .addPrimaryKeyConstraint('creations_key', ['org_id', 'verb', 'idempotency_key'])
      .execute();
    await schema.createIndex('creations_by_end').on('creations').columns(['expires_at']).execute();
  },
};
