import type { PasskeyAssertion } from '@floe/contract/api/passkeys';
import { Fault } from '@floe/contract/faults';
import { changeUser, userById } from '../../store/members.ts';
import type { Writer } from '../../store/ports.ts';
import { deleteSessions } from '../../store/sessions.ts';
import { recordFailure, recordSignIn } from './audit.ts';
import { checkAssertion, useAssertion } from './passkeys.ts';
import { hashNewPassword } from './password-policy.ts';
import { mustOfferPasswords } from './password-sign-in.ts';
import { mustBeSignedIn, mustHoldAccount, signedOut } from './session-changes.ts';
import { type LiveSession, STEP_UP_MS } from './sessions.ts';
import { type Browser, changeFrom, failed, type SignInParts } from './sign-in.ts';

/** Either of the two, from the person who is signed in. */
export interface Proof {
  readonly password?: string | undefined;
  readonly passkey?: PasskeyAssertion | undefined;
}

/**
 * Somebody who is signed in shows once more who they are: for ten minutes they may do what asks for that. Returns the new
 * value of their cookie.
 *
 * @throws Fault `signed_out`, `sign_in_failed`, `too_many_tries`
 */
export async function stepUp(parts: SignInParts, browser: Browser, proof: Proof): Promise<string> {
  const { clock, throttle, sessions } = parts;
  const { live, token } = await mustBeSignedIn(parts, browser);
  const trier = { account: live.user.email, address: browser.address };
  const taken = await throttle.take(trier);
  let use: (writer: Writer) => Promise<void>;
  try {
    use = await check(parts, live, proof);
  } catch (error) {
    if (error instanceof Fault && error.code === 'sign_in_failed') {
      const told = { method: 'step-up', address: browser.address, paused_ms: taken.pausedMs };
      await changeFrom(parts, browser, live, (writer) => recordFailure(writer, clock, live.user.id, told));
    }
    throw error;
  }
  const next = await changeFrom(parts, browser, live, async (writer) => {
    await use(writer);
    await throttle.forgive(writer, trier, taken);
    await recordSignIn(writer, clock, {
      orgId: live.here.org.id,
      actor: live.here.memberId,
      action: 'sessions.step_up',
      subject: live.id,
      after: { method: proof.passkey ? 'passkey' : 'password', address: browser.address },
    });
    return sessions.rotate(writer, token, { stepped_up_until: clock.now() + STEP_UP_MS });
  });
  sessions.forget();
  if (next === null) throw signedOut();
  return next;
}

/** What is to be done inside the transaction that believes the proof. */
async function check(
  parts: SignInParts,
  { user }: LiveSession,
  { password, passkey }: Proof,
): Promise<(writer: Writer) => Promise<void>> {
  if (passkey) {
    const shown = await checkAssertion(parts, parts.database.read, passkey);
    if (shown.row.user_id !== user.id) throw failed('This passkey is of another account.');
    return (writer) => useAssertion(parts, writer, shown);
  }
  mustOfferPasswords(parts);
  const stored = (await userById(parts.database.read, user.id))?.password_hash ?? null;
  if (!(await parts.hasher.verify(password ?? '', stored))) throw failed('The password is not right.');
  return async () => undefined;
}

/**
 * Another password for whoever is signed in and stepped up; every other session of theirs ends. Returns the new value of
 * the cookie.
 *
 * @throws Fault as `mustHoldAccount`; `invalid_request` for a password that will not do
 */
export async function changePassword(
  parts: SignInParts,
  browser: Browser,
  password: string,
): Promise<string> {
  const { database, clock, sessions } = parts;
  mustOfferPasswords(parts);
  const { live, token } = await mustHoldAccount(parts, browser);
  const password_hash = await hashNewPassword(parts, password, live.user.email);
  const next = await changeFrom(parts, browser, live, async (writer) => {
    await changeUser(writer, live.user.id, { password_hash, updated_at: clock.now() });
    await deleteSessions(writer, live.user.id, live.id);
    for (const { org, memberId } of live.everywhere)
      await recordSignIn(writer, clock, {
        orgId: org.id,
        actor: memberId,
        action: 'password.update',
        subject: memberId,
      });
    await database.signals.announce(writer);
    return sessions.rotate(writer, token, { stepped_up_until: live.steppedUpUntil });
  });
  sessions.forget();
  if (next === null) throw signedOut();
  return next;
}
