import { FatalError } from '../core/fatal-error.ts';
import { getSetting, storeSetting } from './settings.ts';
import type { DatabaseReader, DatabaseWriter } from './store-interfaces.ts';

/** The setting that exists while a database contains only a part of the imported data. */
const MARKER_SETTING = 'incomplete_import';

/** The tables that contain rows as soon as a server or an import has used a database. */
const FIRST_TABLES = ['orgs', 'settings', 'audit', 'exchanges'] as const;

const REMEDY =
  'create an empty PostgreSQL database, set FLOE_DATABASE_URL or storage.database to the URL of the new database, and run "floe storage move" again.';

/**
 * Marks a database as the target of an import. The database must be empty, because a repeated import cannot detect
 * which rows have changed since the first import, or have been deleted.
 * @throws FatalError if the database contains data, or if another import has not completed
 */
export async function beginImport(writer: DatabaseWriter): Promise<void> {
  if (await isImportIncomplete(writer))
    throw new FatalError(
      `Another "floe storage move" is copying data to this PostgreSQL database, or an earlier one did not complete. To start again, ${REMEDY}`,
    );
  for (const table of FIRST_TABLES)
    if (await writer.selectFrom(table).selectAll().limit(1).executeTakeFirst())
      throw new FatalError(
        `The PostgreSQL database is not empty: the table ${table} contains rows. Nothing was copied. To copy the data, ${REMEDY}`,
      );
  await storeSetting(writer, MARKER_SETTING, '1');
}

/** Marks the import as complete by removing the marker that `beginImport` set. */
export async function completeImport(writer: DatabaseWriter): Promise<void> {
  await writer.deleteFrom('settings').where('name', '=', MARKER_SETTING).execute();
}

/**
 * Requires that the database contains all data of an import.
 * @throws FatalError if an import has not completed
 */
export async function requireCompleteImport(reader: DatabaseReader): Promise<void> {
  if (await isImportIncomplete(reader))
    throw new FatalError(
      `The PostgreSQL database contains only a part of the SQLite database, because "floe storage move" has not completed. Wait until the command has completed. If the command failed, ${REMEDY}`,
    );
}

async function isImportIncomplete(reader: DatabaseReader): Promise<boolean> {
  return (await getSetting(reader, MARKER_SETTING)) !== undefined;
}
