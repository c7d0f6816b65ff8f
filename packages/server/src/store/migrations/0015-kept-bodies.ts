import { type Migration, orderedText } from './migration.ts';

/** Bodies of requests and answers, for orgs that keep them. */
export const keptBodies: Migration = {
  number: 15,
  name: 'kept-bodies',
  async up({ schema }, engine) {
    const text = orderedText(engine);
    await schema
      .createTable('kept_bodies')
      .addColumn('id', text, (column) => column.notNull().primaryKey())
      .addColumn('org_id', text, (column) => column.notNull())
      .addColumn('key_id', text, (column) => column.notNull())
      .addColumn('owner', 'text')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('sealed', 'text', (column) => column.notNull())
      .execute();
    await schema
      .createIndex('kept_bodies_by_age')
      .on('kept_bodies')
      .columns(['org_id', 'created_at', 'id'])
      .execute();
  },
};
