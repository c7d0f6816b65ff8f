import type { DatabaseReader, DatabaseWriter } from './store-interfaces.ts';

/** Returns the value of a setting; undefined if it was never stored. */
export async function getSetting(reader: DatabaseReader, name: string): Promise<string | undefined> {
  const row = await reader.selectFrom('settings').select('value').where('name', '=', name).executeTakeFirst();
  return row?.value;
}

export async function storeSetting(writer: DatabaseWriter, name: string, value: string): Promise<void> {
  await writer
    .insertInto('settings')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute();
}

/** A time before which retention has deleted data of all organizations. */
export type RetentionStart = 'audit_kept_from' | 'requests_kept_from';

/**
 * Stores the time before which data can be missing. Never lowers it: a longer retention period does not bring back deleted
 * data.
 */
export async function raiseRetentionStart(
  writer: DatabaseWriter,
  name: RetentionStart,
  startMs: number,
): Promise<void> {
  if (startMs > (await getRetentionStart(writer, name))) await storeSetting(writer, name, String(startMs));
}

/** Returns the time before which data can be missing, in Unix milliseconds. */
export async function getRetentionStart(reader: DatabaseReader, name: RetentionStart): Promise<number> {
  return Number((await getSetting(reader, name)) ?? 0);
}
