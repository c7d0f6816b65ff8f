import type { Reader, Writer } from './ports.ts';
import type { SignInTriesTable } from './sign-in-tables.ts';

export type TriesRow = SignInTriesTable;

export function triesOf(reader: Reader, buckets: readonly string[]): Promise<TriesRow[]> {
  return reader.selectFrom('sign_in_tries').selectAll().where('bucket', 'in', buckets).execute();
}

export async function putTries(writer: Writer, row: TriesRow): Promise<void> {
  const { bucket: _, ...change } = row;
  await writer
    .insertInto('sign_in_tries')
    .values(row)
    .onConflict((conflict) => conflict.column('bucket').doUpdateSet(change))
    .execute();
}

export async function forgetTries(writer: Writer, bucket: string): Promise<void> {
  await writer.deleteFrom('sign_in_tries').where('bucket', '=', bucket).execute();
}
