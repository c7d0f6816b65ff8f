import { Fault } from '@floe/contract/faults';
import { deleteSession, deleteSessions, type SessionRow, sessionsOf } from '../../store/sessions.ts';
import { recordSignIn } from './audit.ts';
import { mustBeSignedIn } from './session-changes.ts';
import type { LiveSession } from './sessions.ts';
import { type Browser, changeFrom, type SignInParts } from './sign-in.ts';

/**
 * The sessions of whoever is signed in that hold, the last used first.
 *
 * @throws Fault `signed_out`
 */
export async function ownSessions(
  parts: SignInParts,
  browser: Browser,
): Promise<{ readonly live: LiveSession; readonly rows: readonly SessionRow[] }> {
  const { live } = await mustBeSignedIn(parts, browser);
  const rows = await sessionsOf(parts.database.read, live.user.id);
  return { live, rows: rows.filter((row) => parts.sessions.holds(row, row.last_seen_at)) };
}

/** Ends one of them, the own one too. @throws Fault `signed_out`; `not_found` for a session of somebody else */
export async function endOwnSession(parts: SignInParts, browser: Browser, id: string): Promise<LiveSession> {
  const { database, clock, sessions } = parts;
  const { live } = await mustBeSignedIn(parts, browser);
  await changeFrom(parts, browser, live, async (writer) => {
    if (!(await deleteSession(writer, live.user.id, id)))
      throw new Fault('not_found', 'You have no session with this id.');
    await recordSignIn(writer, clock, { ...of(live), action: 'sessions.delete', subject: id });
    await database.signals.announce(writer);
  });
  sessions.forget();
  return live;
}

/** Ends every session of whoever is signed in but this one. @throws Fault `signed_out` */
export async function endOtherSessions(parts: SignInParts, browser: Browser): Promise<void> {
  const { database, clock, sessions } = parts;
  const { live } = await mustBeSignedIn(parts, browser);
  await changeFrom(parts, browser, live, async (writer) => {
    const ended = await deleteSessions(writer, live.user.id, live.id);
    if (ended === 0) return;
    await recordSignIn(writer, clock, {
      ...of(live),
      action: 'sessions.delete_others',
      subject: live.user.id,
      after: { ended },
    });
    await database.signals.announce(writer);
  });
  sessions.forget();
}

function of({ here }: LiveSession) {
  return { orgId: here.org.id, actor: here.memberId };
}
