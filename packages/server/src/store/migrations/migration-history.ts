import type { DatabaseReader, DatabaseWriter } from '../store-interfaces.ts';
import type { Migration } from './migration.ts';
import { releaseCompatibilityMigration } from './release-compatibility.ts';

/** An applied migration, as the table `migrations` records it. */
export interface AppliedMigration extends Pick<Migration, 'number' | 'name'> {
  /** `Migration.compatibleFrom`. Null if the release that applied it did not record it. */
  readonly compatibleFrom: number | null;
}

/** Returns the applied migrations. Changes nothing. The table `migrations` must exist. */
export async function readMigrationHistory(
  reader: Pick<DatabaseReader, 'selectFrom'>,
): Promise<readonly AppliedMigration[]> {
  // All columns, because an older database does not have the newest one.
  const rows = await reader.selectFrom('migrations').selectAll().execute();
  return rows.map(({ number, name, compatible_from: compatibleFrom = null }) => ({
    number,
    name,
    compatibleFrom,
  }));
}

/** Creates the table `migrations` in an empty database. */
export async function createMigrationsTable(writer: DatabaseWriter): Promise<void> {
  await writer.schema
    .createTable('migrations')
    .ifNotExists()
    .addColumn('number', 'integer', (column) => column.notNull().primaryKey())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('applied_at', 'bigint', (column) => column.notNull())
    .execute();
}

/** Records a migration in the transaction that applied it. */
export async function recordMigration(
  writer: DatabaseWriter,
  { number, name, compatibleFrom }: Migration,
  nowMs: number,
): Promise<void> {
  const hasColumn = number >= releaseCompatibilityMigration.number;
  await writer
    .insertInto('migrations')
    .values({ number, name, applied_at: nowMs, ...(hasColumn && { compatible_from: compatibleFrom }) })
    .execute();
}
