import { Fault } from '@floe/contract/faults';
import { changeUser, userByEmail, userById } from '../../store/members.ts';
import type { Writer } from '../../store/ports.ts';
import { recordFailure } from './audit.ts';
import { admit, type Browser, changeFrom, failed, methodsOf, type SignInParts } from './sign-in.ts';

interface Given {
  readonly email: string;
  readonly password: string;
}

/** Somebody knew the password of an account. */
export interface Proven {
  readonly userId: string;
  /**
   * Belongs into the transaction that acts on it.
   *
   * @throws Fault `sign_in_failed` when the password was changed meanwhile
   */
  believe(writer: Writer): Promise<void>;
}

/**
 * Signs somebody in by e-mail and password; returns the value of the cookie.
 *
 * @throws Fault as `provePassword`
 */
export async function signInByPassword(parts: SignInParts, given: Given, browser: Browser): Promise<string> {
  const { userId, believe } = await provePassword(parts, given, browser);
  const token = await changeFrom(parts, browser, null, async (writer) => {
    await believe(writer);
    return admit(parts, writer, { userId, method: 'password', isFresh: true }, browser);
  });
  parts.sessions.forget();
  return token;
}

/**
 * Counts the try and checks the password.
 *
 * @throws Fault `sign_in_failed`, in the same words and time whether the account exists; `too_many_tries`; `not_found`
 *   where passwords are switched off
 */
export async function provePassword(parts: SignInParts, given: Given, browser: Browser): Promise<Proven> {
  const { database, clock, throttle, hasher } = parts;
  mustOfferPasswords(parts);
  const account = given.email.trim().toLowerCase();
  const trier = { account, address: browser.address };
  const taken = await throttle.take(trier);
  const user = await userByEmail(database.read, account);
  const stored = user?.password_hash ?? null;
  const isGood = await hasher.verify(given.password, stored);
  if (!user || stored === null || !isGood) {
    const told = { method: 'password', address: browser.address, paused_ms: taken.pausedMs };
    await changeFrom(parts, browser, null, (writer) => recordFailure(writer, clock, user?.id ?? null, told));
    throw failed();
  }
  const renewed = hasher.isOutdated(stored) ? await hasher.hash(given.password) : stored;
  return {
    userId: user.id,
    async believe(writer) {
      if ((await userById(writer, user.id))?.password_hash !== stored) throw failed();
      if (renewed !== stored) await changeUser(writer, user.id, { password_hash: renewed });
      await throttle.forgive(writer, trier, taken);
    },
  };
}

/** @throws Fault `not_found` where passwords are switched off */
export function mustOfferPasswords(parts: Pick<SignInParts, 'auth' | 'site'>): void {
  if (!methodsOf(parts).password)
    throw new Fault('not_found', 'Sign-in by password is switched off here (auth.password in floe.yaml).');
}
