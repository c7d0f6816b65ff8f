import { Fault } from '@floe/contract/faults';
import {
  type ConsoleSessionRow,
  deleteConsoleSession,
  deleteConsoleSessionsOfUser,
  listConsoleSessionsOfUser,
} from '../../store/console-sessions.ts';
import { auditAccountEvent } from './audit-account-event.ts';
import type { ActiveConsoleSession } from './console-sessions.ts';
import { requireActiveSession, runSessionTransaction } from './session-changes.ts';
import type { BrowserRequest, SignInContext } from './sign-in-context.ts';

/**
 * Returns the current session, and all active sessions of the signed-in user, most recently used first.
 *
 * @throws Fault `session_expired`
 */
export async function loadOwnSessions(
  context: SignInContext,
  browser: BrowserRequest,
): Promise<{ readonly live: ActiveConsoleSession; readonly rows: readonly ConsoleSessionRow[] }> {
  const { live } = await requireActiveSession(context, browser);
  const rows = await listConsoleSessionsOfUser(context.database.read, live.user.id);
  return { live, rows: rows.filter((row) => context.sessions.isActive(row, row.last_seen_at)) };
}

/**
 * Ends one of the signed-in user's sessions, which can be the current one. Returns the current session.
 * @throws Fault `session_expired`; `not_found` for a session of another user
 */
export async function endOwnSession(
  context: SignInContext,
  browser: BrowserRequest,
  id: string,
): Promise<ActiveConsoleSession> {
  const { database, clock, sessions } = context;
  const { live } = await requireActiveSession(context, browser);
  await runSessionTransaction(context, browser, live, async (writer) => {
    if (!(await deleteConsoleSession(writer, live.user.id, id)))
      throw new Fault('not_found', 'You have no session with this id.');
    await auditAccountEvent(writer, clock, { ...sessionOwner(live), action: 'sessions.delete', subject: id });
    await database.signals.announce(writer);
  });
  sessions.clearCache();
  return live;
}

/**
 * Ends all of the signed-in user's other sessions.
 * @throws Fault `session_expired`
 */
export async function endOtherSessions(context: SignInContext, browser: BrowserRequest): Promise<void> {
  const { database, clock, sessions } = context;
  const { live } = await requireActiveSession(context, browser);
  await runSessionTransaction(context, browser, live, async (writer) => {
    const ended = await deleteConsoleSessionsOfUser(writer, live.user.id, live.id);
    if (ended === 0) return;
    await auditAccountEvent(writer, clock, {
      ...sessionOwner(live),
      action: 'sessions.delete_others',
      subject: live.user.id,
      after: { ended },
    });
    await database.signals.announce(writer);
  });
  sessions.clearCache();
}

function sessionOwner({ membership }: ActiveConsoleSession) {
  return { orgId: membership.org.id, actor: membership.memberId };
}
