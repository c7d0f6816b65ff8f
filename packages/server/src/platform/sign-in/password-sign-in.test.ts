import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import { test } from 'node:test';
import { FloeConfigSchema } from '@floe/contract/config';
import { requirePasswordsEnabled } from './password-sign-in.ts';
import { buildSignInUrls } from './sign-in-urls.ts';

const tryPassword = (password: boolean) => () => {
  const { auth } = FloeConfigSchema.parse({ auth: { password } });
  requirePasswordsEnabled({ auth: () => auth, site: () => buildSignInUrls('https://floe.example') });
};

test('the response to a sign-in with a password says why it is disabled, without the version of Node.js', (t) => {
  const { argon2 } = crypto;
  t.after(() => Reflect.set(crypto, 'argon2', argon2));
  Reflect.set(crypto, 'argon2', undefined);
  assert.throws(tryPassword(true), {
    code: 'not_found',
    message:
      'Sign-in with a password is disabled: this Node.js version does not support Argon2. Use another sign-in method.',
  });
  assert.throws(tryPassword(false), {
    code: 'not_found',
    message:
      'Sign-in with a password is disabled: auth.password is false in floe.yaml. Use another sign-in method.',
  });
});
