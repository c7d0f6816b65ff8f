import { passkeyAssertionOptions as optionsAnswer } from '@floe/contract/api/passkeys';
import { passkeySignInBody, signedInSession } from '@floe/contract/api/session';
import { signInWithPasskey } from '../../platform/sign-in/passkey-sign-in.ts';
import { createPasskeyAssertionOptions } from '../../platform/sign-in/passkeys.ts';
import type { SignInContext } from '../../platform/sign-in/sign-in-context.ts';
import { defineSessionOperation, type SessionOperation } from './session-operation.ts';
import { createSessionStartResult } from './session-resource.ts';

/**
 * Creates the operations for signing in with a passkey. The same options are used for a step-up.
 */
export function createPasskeySignInOperations(context: SignInContext): readonly SessionOperation[] {
  return [
    defineSessionOperation({
      name: 'session.passkey_options',
      method: 'POST',
      path: '/api/session/passkey/options',
      summary:
        'Get the options for signing in with a passkey; the options can be used once, within five minutes',
      status: 200,
      answer: optionsAnswer,
      run: async () => ({ body: createPasskeyAssertionOptions(context) }),
    }),
    defineSessionOperation({
      name: 'session.passkey',
      method: 'POST',
      path: '/api/session/passkey',
      summary: 'Sign in with a passkey',
      status: 200,
      body: passkeySignInBody,
      answer: signedInSession,
      run: async ({ body, browser }) =>
        createSessionStartResult(context, await signInWithPasskey(context, body.credential, browser)),
    }),
  ];
}
