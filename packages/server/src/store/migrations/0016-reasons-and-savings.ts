import type { Migration } from './migration.ts';

const ROLLUPS = ['rollup_minutes', 'rollup_hours', 'rollup_pairs'] as const;

/** Why a change was made, and what answers from the cache would have cost. */
export const reasonsAndSavings: Migration = {
  number: 16,
  name: 'reasons-and-savings',
  async up({ schema }) {
    await schema.alterTable('audit').addColumn('reason', 'text').execute();
    await schema.alterTable('exchanges').addColumn('saved_nano_usd', 'bigint').execute();
    for (const table of ROLLUPS)
      await schema
        .alterTable(table)
        .addColumn('saved_nano_usd', 'bigint', (column) => column.notNull().defaultTo(0))
        .execute();
  },
};
