import { Fault } from '@floe/contract/faults';
import { deleteSessionByToken } from '../../store/sessions.ts';
import { recordSignIn } from './audit.ts';
import type { LiveSession } from './sessions.ts';
import { type Browser, changeFrom, type SignInParts } from './sign-in.ts';
import { sha256 } from './tokens.ts';

/** @throws Fault `signed_out` */
export async function mustBeSignedIn(
  { sessions }: Pick<SignInParts, 'sessions'>,
  browser: Browser,
): Promise<{ readonly live: LiveSession; readonly token: string }> {
  const live = browser.token === null ? null : await sessions.find(browser.token);
  if (!live || browser.token === null) throw signedOut();
  return { live, token: browser.token };
}

/**
 * Somebody who may add or replace a way to sign in: they confirmed who they are a moment ago, so that whoever finds an open
 * browser cannot come back later, and the session has every role that the new way would open.
 *
 * @throws Fault `signed_out`, `step_up_required`, `insufficient_role`
 */
export async function mustHoldAccount(parts: SignInParts, browser: Browser) {
  const { live, token } = await mustBeSignedIn(parts, browser);
  if (live.steppedUpUntil <= parts.clock.now())
    throw new Fault('step_up_required', 'Confirm who you are to do this, then send the request again.');
  if (live.isWhole) return { live, token };
  throw new Fault(
    'insufficient_role',
    `Another issuer than ${live.issuer ?? ''} grants you more than this session may do. Sign in by that one, by password or by passkey to change how you sign in.`,
  );
}

export function signedOut(): Fault {
  return new Fault(
    'signed_out',
    'You are signed out: the session ended, or somebody ended it. Sign in again.',
  );
}

/**
 * Goes on in another org of the same person: the session is about that one from now on, under a new cookie.
 *
 * @throws Fault `signed_out`; `not_found` for an org they do not belong to, whether it exists or not
 */
export async function switchOrg(parts: SignInParts, browser: Browser, orgId: string): Promise<string> {
  const { live, token } = await mustBeSignedIn(parts, browser);
  const at = live.everywhere.find(({ org }) => org.id === orgId);
  if (!at) throw new Fault('not_found', 'You belong to no organization with this id.', { param: 'org_id' });
  const next = await parts.database.transaction((writer) =>
    parts.sessions.rotate(writer, token, { org_id: orgId, role: at.role }),
  );
  parts.sessions.forget();
  if (next === null) throw signedOut();
  return next;
}

/** Signs the browser out; nothing happens when it is already. */
export async function endSession(parts: SignInParts, browser: Browser): Promise<void> {
  const { database, clock, sessions } = parts;
  const { token } = browser;
  if (token === null) return;
  const live = await sessions.find(token);
  await changeFrom(parts, browser, live, async (writer) => {
    const ended = await deleteSessionByToken(writer, sha256(token));
    if (!ended) return;
    await recordSignIn(writer, clock, {
      orgId: ended.org_id,
      actor: live?.here.memberId ?? ended.user_id,
      action: 'sessions.delete',
      subject: ended.id,
    });
    await database.signals.announce(writer);
  });
  sessions.forget();
}
