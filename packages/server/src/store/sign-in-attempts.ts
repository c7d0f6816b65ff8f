import type { SignInAttemptsTable } from './sign-in-tables.ts';
import type { DatabaseReader, DatabaseWriter } from './store-interfaces.ts';

export type SignInAttemptsRow = SignInAttemptsTable;

export function listSignInAttempts(
  reader: DatabaseReader,
  buckets: readonly string[],
): Promise<SignInAttemptsRow[]> {
  return reader.selectFrom('sign_in_attempts').selectAll().where('bucket', 'in', buckets).execute();
}

export async function upsertSignInAttempts(writer: DatabaseWriter, row: SignInAttemptsRow): Promise<void> {
  const { bucket: _, ...change } = row;
  await writer
    .insertInto('sign_in_attempts')
    .values(row)
    .onConflict((conflict) => conflict.column('bucket').doUpdateSet(change))
    .execute();
}

export async function deleteSignInAttempts(writer: DatabaseWriter, bucket: string): Promise<void> {
  await writer.deleteFrom('sign_in_attempts').where('bucket', '=', bucket).execute();
}
