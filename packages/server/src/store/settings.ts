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
