import type { OperatorsTable } from './member-tables.ts';
import type { DatabaseReader, DatabaseWriter } from './store-interfaces.ts';

export type OperatorRow = OperatorsTable;

/** An operator and their user data. */
export interface OperatorWithUser extends OperatorRow {
  readonly email: string;
  readonly name: string;
}

/** Returns the installation's operators, oldest first. */
export function listAllOperators(reader: DatabaseReader): Promise<OperatorWithUser[]> {
  return reader
    .selectFrom('operators')
    .innerJoin('users', 'users.id', 'operators.user_id')
    .selectAll('operators')
    .select(['users.email', 'users.name'])
    .orderBy('operators.granted_at')
    .orderBy('operators.user_id')
    .execute();
}

/** Adds an operator. Returns false if the user is already an operator. */
export async function insertOperator(writer: DatabaseWriter, operator: OperatorRow): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await writer
    .insertInto('operators')
    .values(operator)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows > 0n;
}

/** Removes an operator. Returns false if the user was not an operator. */
export async function deleteOperator(writer: DatabaseWriter, userId: string): Promise<boolean> {
  const { numDeletedRows } = await writer
    .deleteFrom('operators')
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

export async function isOperator(reader: DatabaseReader, userId: string): Promise<boolean> {
  const row = await reader
    .selectFrom('operators')
    .select('user_id')
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return row !== undefined;
}
