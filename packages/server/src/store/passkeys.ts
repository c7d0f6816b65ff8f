import type { PasskeysTable } from './sign-in-tables.ts';
import type { DatabaseReader, DatabaseWriter } from './store-interfaces.ts';

export type PasskeyRow = PasskeysTable;

/**
 * Inserts a passkey.
 * @throws Fault `conflict` if the authenticator is already registered
 */
export async function insertPasskey(writer: DatabaseWriter, passkey: PasskeyRow): Promise<void> {
  await writer.insertInto('passkeys').values(passkey).execute();
}

/** Returns a user's passkeys, oldest first. */
export function listPasskeysOfUser(reader: DatabaseReader, userId: string): Promise<PasskeyRow[]> {
  return reader
    .selectFrom('passkeys')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

/**
 * Returns the passkey with this credential id, which may belong to any user.
 * @param credentialId the credential id in base64url
 */
export function findPasskeyByCredential(
  reader: DatabaseReader,
  credentialId: string,
): Promise<PasskeyRow | undefined> {
  return reader
    .selectFrom('passkeys')
    .selectAll()
    .where('credential_id', '=', credentialId)
    .executeTakeFirst();
}

export function findPasskeyById(
  reader: DatabaseReader,
  userId: string,
  id: string,
): Promise<PasskeyRow | undefined> {
  return reader
    .selectFrom('passkeys')
    .selectAll()
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .executeTakeFirst();
}

export async function updatePasskey(
  writer: DatabaseWriter,
  id: string,
  change: Partial<Pick<PasskeyRow, 'name' | 'counter' | 'backed_up' | 'last_used_at'>>,
): Promise<void> {
  await writer.updateTable('passkeys').set(change).where('id', '=', id).execute();
}

export async function deletePasskey(writer: DatabaseWriter, id: string): Promise<void> {
  await writer.deleteFrom('passkeys').where('id', '=', id).execute();
}

export async function deletePasskeysOfUser(writer: DatabaseWriter, userId: string): Promise<void> {
  await writer.deleteFrom('passkeys').where('user_id', '=', userId).execute();
}
