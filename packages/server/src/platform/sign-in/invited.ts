import { Fault } from '@floe/contract/faults';
import { newId } from '../../core/ids.ts';
import { changeUser, insertUser, userByEmail } from '../../store/members.ts';
import type { Writer } from '../../store/ports.ts';
import { acceptInvitation, type OpenInvitation, openInvitation } from '../invitations.ts';
import { hashNewPassword } from './password-policy.ts';
import { provePassword } from './password-sign-in.ts';
import { isUnclaimed, replaceProofs } from './prove-account.ts';
import type { LiveSession } from './sessions.ts';
import {
  admit,
  type Browser,
  changeFrom,
  failed,
  methodsOf,
  type Shown,
  type SignInParts,
} from './sign-in.ts';

/** What the page of an invitation shows. @throws Fault `not_found` for one that is not good any more */
export function previewInvitation(parts: SignInParts, token: string): Promise<OpenInvitation> {
  return openInvitation(parts.database.read, token, parts.clock.now());
}

/**
 * Takes an invitation and signs in to its org; returns the value of the cookie. Somebody new gets an account. Whoever has one
 * shows that it is theirs: by its password, or by being signed in by any method. An account that belongs to no org has nothing
 * to protect: there the invitation replaces what proved it before, so that nobody is shut out for want of a password.
 *
 * @throws Fault `not_found` for an invitation that is not good any more, `sign_in_failed`, `too_many_tries`, `conflict`;
 *   `invalid_request` for a password that will not do
 */
export async function takeInvitation(
  parts: SignInParts,
  given: {
    readonly token: string;
    readonly name?: string | undefined;
    readonly password?: string | undefined;
  },
  browser: Browser,
): Promise<string> {
  const { database, clock } = parts;
  const { email } = await previewInvitation(parts, given.token);
  const known = await userByEmail(database.read, email);
  if (known && !(await isUnclaimed(database.read, known.id)))
    return joinAs(parts, given, { id: known.id, email }, browser);
  const hash = await hashNewPassword(parts, given.password, email);
  const { name } = given;
  if (name === undefined)
    throw new Fault('invalid_request', 'name: is needed for a new account', { param: 'name' });
  return finish(parts, given.token, browser, async (writer) => {
    const now = clock.now();
    if (known) {
      if (!(await isUnclaimed(writer, known.id)))
        throw failed(`Sign in as ${email}, then open the link again.`);
      await replaceProofs(parts, writer, known.id, hash);
      await changeUser(writer, known.id, { name });
      return { userId: known.id };
    }
    const id = newId('usr', now);
    const times = { created_at: now, updated_at: now };
    await insertUser(writer, { id, email, name, password_hash: hash, preferences_json: null, ...times });
    return { userId: id };
  });
}

async function joinAs(
  parts: SignInParts,
  given: { readonly token: string; readonly password?: string | undefined },
  user: { readonly id: string; readonly email: string },
  browser: Browser,
): Promise<string> {
  const live = browser.token === null ? null : await parts.sessions.find(browser.token);
  if (live?.user.id === user.id) return finish(parts, given.token, browser, async () => continued(live));
  const { password } = given;
  if (password === undefined || !methodsOf(parts).password)
    throw failed(`Sign in as ${user.email}, then open the link again.`);
  const { believe } = await provePassword(parts, { email: user.email, password }, browser);
  return finish(parts, given.token, browser, async (writer) => {
    await believe(writer);
    return { userId: user.id };
  });
}

/** Who takes an invitation, and what their session is begun by when they had one. */
type Taker = Pick<Shown, 'userId' | 'issuer' | 'passkeyId'> & { readonly live?: LiveSession };

/** A session proves what it proved before the invitation: not more roles, and not that it is fresh. */
function continued(live: LiveSession): Taker {
  const { user, issuer, passkeyId } = live;
  return {
    userId: user.id,
    live,
    ...(issuer !== null && { issuer }),
    ...(passkeyId !== null && { passkeyId }),
  };
}

async function finish(
  parts: SignInParts,
  token: string,
  browser: Browser,
  who: (writer: Writer) => Promise<Taker>,
): Promise<string> {
  const { database, clock, sessions } = parts;
  const value = await changeFrom(parts, browser, null, async (writer) => {
    const { live, ...taker } = await who(writer);
    const { org_id } = await acceptInvitation(writer, { token, userId: taker.userId, nowMs: clock.now() });
    await database.signals.announce(writer);
    const isFresh = live === undefined || live.steppedUpUntil > clock.now();
    const method = live?.method ?? 'invitation';
    return admit(parts, writer, { ...taker, method, orgId: org_id, isFresh }, browser);
  });
  sessions.forget();
  return value;
}
