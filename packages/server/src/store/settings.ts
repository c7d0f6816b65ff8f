import type { Reader, Writer } from './ports.ts';

/** The value under `name`, if there is one. */
export async function readSetting(reader: Reader, name: string): Promise<string | undefined> {
  const row = await reader.selectFrom('settings').select('value').where('name', '=', name).executeTakeFirst();
  return row?.value;
}

export async function writeSetting(writer: Writer, name: string, value: string): Promise<void> {
  await writer
    .insertInto('settings')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute();
}
