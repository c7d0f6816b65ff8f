import type { IdentitiesTable } from './sign-in-tables.ts';
import type { DatabaseReader, DatabaseWriter } from './store-interfaces.ts';

/** Returns the identity for an issuer and a subject. */
export function findIdentity(
  reader: DatabaseReader,
  issuer: string,
  subject: string,
): Promise<IdentitiesTable | undefined> {
  return reader
    .selectFrom('identities')
    .selectAll()
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst();
}

export function listIdentitiesOfUser(reader: DatabaseReader, userId: string): Promise<IdentitiesTable[]> {
  return reader.selectFrom('identities').selectAll().where('user_id', '=', userId).execute();
}

export async function insertIdentity(writer: DatabaseWriter, identity: IdentitiesTable): Promise<void> {
  await writer.insertInto('identities').values(identity).execute();
}

export async function deleteIdentitiesOfUser(writer: DatabaseWriter, userId: string): Promise<void> {
  await writer.deleteFrom('identities').where('user_id', '=', userId).execute();
}
