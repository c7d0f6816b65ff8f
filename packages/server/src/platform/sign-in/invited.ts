import { Fault } from '@floe/contract/faults';
import { newId } from '../../core/ids.ts';
import { insertUser, userByEmail } from '../../store/members.ts';
import type { Writer } from '../../store/ports.ts';
import { acceptInvitation, type OpenInvitation, openInvitation } from '../invitations.ts';
import { hashNewPassword, provePassword } from './password-sign-in.ts';
import { admit, type Browser, failed, methodsOf, type SignInParts } from './sign-in.ts';

/** What the page of an invitation shows. @throws Fault `not_found` for one that is not good any more */
export function previewInvitation(parts: SignInParts, token: string): Promise<OpenInvitation> {
  return openInvitation(parts.database.read, token, parts.clock.now());
}

/**
 * Takes an invitation and signs in to its org; returns the value of the cookie. Somebody new gets an account; whoever has
 * one shows that it is theirs: by its password, or by being signed in.
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
  if (known) return joinAs(parts, given, { id: known.id, email }, browser);
  const hash = await hashNewPassword(parts, given.password, email);
  const { name } = given;
  if (name === undefined)
    throw new Fault('invalid_request', 'name: is needed for a new account', { param: 'name' });
  return finish(parts, given.token, browser, async (writer) => {
    const now = clock.now();
    const id = newId('usr', now);
    const times = { created_at: now, updated_at: now };
    await insertUser(writer, { id, email, name, password_hash: hash, preferences_json: null, ...times });
    return id;
  });
}

async function joinAs(
  parts: SignInParts,
  given: { readonly token: string; readonly password?: string | undefined },
  user: { readonly id: string; readonly email: string },
  browser: Browser,
): Promise<string> {
  const live = browser.token === null ? null : await parts.sessions.find(browser.token);
  if (live?.user.id === user.id) return finish(parts, given.token, browser, async () => user.id);
  const { password } = given;
  if (password === undefined || !methodsOf(parts).password)
    throw failed(`Sign in as ${user.email}, then open the link again.`);
  const { believe } = await provePassword(parts, { email: user.email, password }, browser);
  return finish(parts, given.token, browser, async (writer) => {
    await believe(writer);
    return user.id;
  });
}

async function finish(
  parts: SignInParts,
  token: string,
  browser: Browser,
  who: (writer: Writer) => Promise<string>,
): Promise<string> {
  const { database, clock, sessions } = parts;
  const value = await database.transaction(async (writer) => {
    const userId = await who(writer);
    const { org_id } = await acceptInvitation(writer, { token, userId, nowMs: clock.now() });
    await database.signals.announce(writer);
    return admit(parts, writer, { userId, method: 'invitation', orgId: org_id, isFresh: true }, browser);
  });
  sessions.forget();
  return value;
}
