import { Fault } from '@floe/contract/faults';
import { changeUser, userByEmail, userById } from '../../store/members.ts';
import { recordFailure } from './audit.ts';
import { admit, type Browser, failed, methodsOf, type SignInParts } from './sign-in.ts';

/**
 * Signs somebody in by e-mail and password; returns the value of the cookie.
 *
 * @throws Fault `sign_in_failed`, in the same words and time whether the account exists; `too_many_tries`; `not_found`
 *   where passwords are switched off
 */
export async function signInByPassword(
  parts: SignInParts,
  given: { readonly email: string; readonly password: string },
  browser: Browser,
): Promise<string> {
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
    await database.transaction((writer) => recordFailure(writer, clock, user?.id ?? null, told));
    throw failed();
  }
  const renewed = hasher.isOutdated(stored) ? await hasher.hash(given.password) : stored;
  const token = await database.transaction(async (writer) => {
    // Somebody may have changed it while it was being checked.
    if ((await userById(writer, user.id))?.password_hash !== stored) throw failed();
    if (renewed !== stored) await changeUser(writer, user.id, { password_hash: renewed });
    await throttle.forgive(writer, trier, taken);
    return admit(parts, writer, { userId: user.id, method: 'password', isFresh: true }, browser);
  });
  parts.sessions.forget();
  return token;
}

/** @throws Fault `not_found` where passwords are switched off */
export function mustOfferPasswords(parts: Pick<SignInParts, 'auth' | 'site'>): void {
  if (!methodsOf(parts).password)
    throw new Fault('not_found', 'Sign-in by password is switched off here (auth.password in floe.yaml).');
}
