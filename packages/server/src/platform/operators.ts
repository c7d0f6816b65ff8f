import { Fault } from '@floe/contract/faults';
import type { Clock } from '../core/clock.ts';
import { findUserByEmail } from '../store/members.ts';
import {
  deleteOperator,
  insertOperator,
  listAllOperators,
  type OperatorWithUser,
} from '../store/operators.ts';
import { listOrgs } from '../store/orgs.ts';
import type { DatabaseWriter } from '../store/store-interfaces.ts';
import type { ChangeActorAndTime } from './member-keys.ts';
import { auditAccountEvent } from './sign-in/audit-account-event.ts';

/**
 * Makes a user an operator.
 * @throws Fault `not_found` if no account has this address, `conflict` if the user already is an
 * operator
 */
export async function grantOperatorRole(
  writer: DatabaseWriter,
  email: string,
  stamp: ChangeActorAndTime,
): Promise<OperatorWithUser> {
  const user = await findUserByEmail(writer, email);
  if (!user)
    throw new Fault('not_found', `No account has the email address ${email}. Invite this person first.`, {
      param: 'email',
    });
  const row = { user_id: user.id, granted_at: stamp.nowMs, granted_by: stamp.by };
  if (!(await insertOperator(writer, row)))
    throw new Fault('conflict', `${email} is already an operator.`, { param: 'email' });
  return { ...row, email: user.email, name: user.name };
}

/**
 * Removes the operator role from a user.
 * @throws Fault `not_found` if the user is not an operator, `conflict` if the user is the last
 * operator
 */
export async function revokeOperatorRole(writer: DatabaseWriter, userId: string): Promise<OperatorWithUser> {
  const operators = await listAllOperators(writer);
  const row = operators.find(({ user_id }) => user_id === userId);
  if (!row) throw new Fault('not_found', 'No operator has this user id.');
  if (operators.length === 1)
    throw new Fault('conflict', `${row.email} is the last operator. Make someone else an operator first.`);
  await deleteOperator(writer, userId);
  return row;
}

/**
 * Makes a user an operator. Used by the command line on the host.
 *
 * @throws Fault `not_found` if no account has this address, `conflict` if the user already is an
 * operator
 */
export async function grantOperatorRoleFromHost(
  writer: DatabaseWriter,
  clock: Clock,
  email: string,
): Promise<void> {
  const { user_id } = await grantOperatorRole(writer, email, { by: 'cli', nowMs: clock.now() });
  await auditInEveryOrg(writer, clock, 'operators.grant', user_id);
}

/**
 * Removes the operator role from a user, even from the last operator, because the command line can
 * grant it again.
 *
 * @throws Fault `not_found` if no account has this address, or the user is not an operator
 */
export async function revokeOperatorRoleFromHost(
  writer: DatabaseWriter,
  clock: Clock,
  email: string,
): Promise<void> {
  const user = await findUserByEmail(writer, email);
  if (!user)
    throw new Fault('not_found', `No account has the email address ${email}. Check the email address.`);
  if (!(await deleteOperator(writer, user.id))) throw new Fault('not_found', `${email} is not an operator.`);
  await auditInEveryOrg(writer, clock, 'operators.revoke', user.id);
}

/** Records the change in every organization, because it affects all of them. */
async function auditInEveryOrg(
  writer: DatabaseWriter,
  clock: Clock,
  action: string,
  subject: string,
): Promise<void> {
  for (const { id } of await listOrgs(writer))
    await auditAccountEvent(writer, clock, { orgId: id, actor: 'cli', action, subject });
}
