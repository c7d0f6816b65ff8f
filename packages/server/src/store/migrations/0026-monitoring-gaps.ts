import { type ColumnDefinitionBuilder, sql } from 'kysely';
import type { Migration } from './migration.ts';

const zero = (column: ColumnDefinitionBuilder) => column.notNull().defaultTo(0);

/**
 * What the rule for Floe's own gaps needs: how often a job really beats, which deadline a gap extended, and gaps that
 * are not certain yet. A clock that had its whole window keeps it: no later gap gives it another one.
 */
export const monitoringGaps: Migration = {
  number: 26,
  name: 'monitoring-gaps',
  async up(writer) {
    const { schema } = writer;
    for (const table of ['monitors', 'monitor_clocks'])
      await schema.alterTable(table).addColumn('fail_counts_as_miss', 'integer', zero).execute();
    await schema.alterTable('monitor_clocks').addColumn('extended_from', 'bigint').execute();
    await schema
      .alterTable('monitor_clocks')
      .addColumn('intervals', 'text', (column) => column.notNull().defaultTo(''))
      .execute();
    await sql`update monitor_clocks set extended_from = settled_at where granted = 1`.execute(writer);
    await schema.alterTable('monitor_clocks').dropColumn('granted').execute();
    await schema.alterTable('monitor_leases').addColumn('started_at', 'bigint', zero).execute();
    for (const column of ['presumed', 'stepped'])
      await schema.alterTable('monitor_gaps').addColumn(column, 'integer', zero).execute();
  },
};
