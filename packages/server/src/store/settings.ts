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
 * Stores the time before which data can be missing. Never lowers it, because a longer retention period does not bring
 * back deleted data. Exception: a time in the future comes from a clock that was ahead, and is replaced by the current
 * time.
 */
export async function raiseRetentionStart(
  writer: DatabaseWriter,
  name: RetentionStart,
  { startMs, nowMs }: { readonly startMs: number; readonly nowMs: number },
): Promise<void> {
  const stored = await getRetentionStart(writer, name);
  const start = Math.trunc(stored > nowMs ? nowMs : Math.max(stored, startMs));
  if (start !== stored) await storeSetting(writer, name, String(start));
}

/** Returns the time before which data can be missing, in Unix milliseconds. */
export async function getRetentionStart(reader: DatabaseReader, name: RetentionStart): Promise<number> {
  return Number((await getSetting(reader, name)) ?? 0);
}
