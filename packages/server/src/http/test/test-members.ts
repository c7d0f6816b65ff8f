import type { MemberRole } from '@floe/contract/roles';
import { createId } from '../../core/ids.ts';
import { type Actor, createMemberActor } from '../../platform/actor.ts';
import { generatePlatformKey } from '../../platform/key-format.ts';
import { insertConsoleSession } from '../../store/console-sessions.ts';
import { findUserByEmail, insertMember, insertUser } from '../../store/members.ts';
import { insertOperator } from '../../store/operators.ts';
import type { Database } from '../../store/store-interfaces.ts';
import { createSessionRow } from '../../store/test/session-row.ts';

export interface NewMember {
  readonly role?: MemberRole;
  readonly team?: string;
  /** Uses the account with this address, if there is one. */
  readonly email?: string;
  /** Whether the member has completed a step-up recently. Default: true. */
  readonly steppedUp?: boolean;
  /** Whether the member is an operator of the installation. */
  readonly operator?: boolean;
}

export interface TestMember {
  readonly id: string;
  readonly userId: string;
  readonly email: string;
  readonly key: string;
}

/** Stores a member and returns the actor for their session. */
export async function storeMember(
  database: Database,
  orgId: string,
  given: NewMember,
  now: number,
): Promise<{ readonly member: TestMember; readonly session: (nowMs: number) => Actor }> {
  const { role = 'admin', team, email = `${createId('usr', 0)}@${orgId}.example` } = given;
  const { steppedUp = true, operator: isOperator = false } = given;
  const times = { created_at: now, updated_at: now };
  const id = createId('mem', now);
  const userId = await database.transaction(async (writer) => {
    const found = await findUserByEmail(writer, email);
    const user = found?.id ?? createId('usr', now);
    if (!found)
      await insertUser(writer, {
        ...times,
        id: user,
        email,
        name: '',
        password_hash: null,
        preferences_json: null,
      });
    await insertMember(writer, {
      ...times,
      id,
      org_id: orgId,
      user_id: user,
      role,
      team: team ?? null,
      source: 'console',
      updated_by: 'setup',
    });
    await insertConsoleSession(
      writer,
      createSessionRow({ id: `ses_${id}`, user_id: user, org_id: orgId, role }),
    );
    if (isOperator) await insertOperator(writer, { user_id: user, granted_at: now, granted_by: 'setup' });
    return user;
  });
  const session = (nowMs: number) =>
    createMemberActor(orgId, {
      id,
      userId,
      email,
      role,
      team: team ?? null,
      sessionId: `ses_${id}`,
      issuer: null,
      isOperator,
      steppedUpUntil: steppedUp ? nowMs + 1 : 0,
    });
  return { member: { id, userId, email, key: generatePlatformKey() }, session };
}
