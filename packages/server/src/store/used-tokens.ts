import type { DatabaseWriter } from './store-interfaces.ts';

/** Marks a one-time value as used. Returns true to exactly one of several concurrent callers. */
export async function markTokenUsed(
  writer: DatabaseWriter,
  sha256: string,
  expiresAt: number,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await writer
    .insertInto('used_tokens')
    .values({ sha256, expires_at: expiresAt })
    .onConflict((conflict) => conflict.column('sha256').doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows > 0n;
}
