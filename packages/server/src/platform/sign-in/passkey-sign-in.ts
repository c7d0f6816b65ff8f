import type { PasskeyAssertion } from '@floe/contract/api/passkeys';
import { Fault } from '@floe/contract/faults';
import { recordFailure } from './audit.ts';
import { checkAssertion, passkeySite, useAssertion } from './passkeys.ts';
import { admit, type Browser, changeFrom, type SignInParts } from './sign-in.ts';

/**
 * Signs somebody in by passkey; returns the value of the cookie.
 *
 * @throws Fault `sign_in_failed`, `too_many_tries`; `not_found` where passkeys are switched off
 */
export async function signInByPasskey(
  parts: SignInParts,
  assertion: PasskeyAssertion,
  browser: Browser,
): Promise<string> {
  const { database, clock, throttle } = parts;
  passkeySite(parts);
  const trier = { account: null, address: browser.address };
  const taken = await throttle.take(trier);
  try {
    const shown = await checkAssertion(parts, database.read, assertion);
    const token = await changeFrom(parts, browser, null, async (writer) => {
      await useAssertion(parts, writer, shown);
      await throttle.forgive(writer, trier, taken);
      const { user_id: userId, id: passkeyId } = shown.row;
      return admit(parts, writer, { userId, method: 'passkey', passkeyId, isFresh: true }, browser);
    });
    parts.sessions.forget();
    return token;
  } catch (error) {
    if (error instanceof Fault && error.code === 'sign_in_failed') {
      const told = { method: 'passkey', address: browser.address, paused_ms: taken.pausedMs };
      await changeFrom(parts, browser, null, (writer) => recordFailure(writer, clock, null, told));
    }
    throw error;
  }
}
