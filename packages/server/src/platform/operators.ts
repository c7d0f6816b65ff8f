import { Fault } from '@floe/contract/faults';
import type { Clock } from '../core/clock.ts';
import { userByEmail } from '../store/members.ts';
import { deleteOperator, insertOperator } from '../store/operators.ts';
import { allOrgs } from '../store/orgs.ts';
import type { Writer } from '../store/ports.ts';
import { recordSignIn } from './sign-in/audit.ts';

/**
 * Makes somebody an operator from the command line of the host.
 *
 * @throws Fault `not_found` when no account has this address, `conflict` when it is one already
 */
export async function grantOperatorRole(writer: Writer, clock: Clock, email: string): Promise<void> {
  const id = await accountOf(writer, email);
  if (!(await insertOperator(writer, { user_id: id, granted_at: clock.now(), granted_by: 'cli' })))
    throw new Fault('conflict', `${email} is an operator already.`);
  await recordForAll(writer, clock, 'operators.grant', id);
}

/**
 * Takes the role, the last one too: the host can grant it again.
 *
 * @throws Fault `not_found` when no account has this address, or it is no operator
 */
export async function revokeOperatorRole(writer: Writer, clock: Clock, email: string): Promise<void> {
  const id = await accountOf(writer, email);
  if (!(await deleteOperator(writer, id))) throw new Fault('not_found', `${email} is no operator.`);
  await recordForAll(writer, clock, 'operators.revoke', id);
}

async function accountOf(writer: Writer, email: string): Promise<string> {
  const user = await userByEmail(writer, email);
  if (!user) throw new Fault('not_found', `No account has the address ${email}.`);
  return user.id;
}

/** It concerns every org. */
async function recordForAll(writer: Writer, clock: Clock, action: string, subject: string): Promise<void> {
  for (const { id } of await allOrgs(writer))
    await recordSignIn(writer, clock, { orgId: id, actor: 'cli', action, subject });
}
