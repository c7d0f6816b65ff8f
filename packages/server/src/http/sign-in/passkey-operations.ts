import { assertionOptions as optionsAnswer } from '@floe/contract/api/passkeys';
import { passkeyBody, signedIn } from '@floe/contract/api/session';
import { signInByPasskey } from '../../platform/sign-in/passkey-sign-in.ts';
import { assertionOptions } from '../../platform/sign-in/passkeys.ts';
import type { SignInParts } from '../../platform/sign-in/sign-in.ts';
import { type SessionOperation, sessionOperation } from './session-operation.ts';
import { signedInNow } from './session-view.ts';

/** Sign-in by passkey; the same options serve a step-up. */
export function passkeyOperations(parts: SignInParts): readonly SessionOperation[] {
  return [
    sessionOperation({
      name: 'session.passkey_options',
      method: 'POST',
      path: '/api/session/passkey/options',
      summary: 'What the browser is asked for a passkey with; good for five minutes, once',
      status: 200,
      answer: optionsAnswer,
      run: async () => ({ body: assertionOptions(parts) }),
    }),
    sessionOperation({
      name: 'session.passkey',
      method: 'POST',
      path: '/api/session/passkey',
      summary: 'Sign in by passkey',
      status: 200,
      body: passkeyBody,
      answer: signedIn,
      run: async ({ body, browser }) =>
        signedInNow(parts, await signInByPasskey(parts, body.credential, browser)),
    }),
  ];
}
