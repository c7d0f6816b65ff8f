import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  decryptSecret,
  deriveStoredSecretsKey,
  encryptSecret,
  rewrapSecret,
  type SecretLocation,
  UnreadableSecretError,
} from './secrets.ts';

const key = deriveStoredSecretsKey(Buffer.alloc(32, 1));
const otherKey = deriveStoredSecretsKey(Buffer.alloc(32, 2));
const place: SecretLocation = { orgId: 'acme', rowId: 'prv_1', version: 1 };
const SECRET = 'sk-live-0123456789';

const isUnreadable = (reason: UnreadableSecretError['reason']) => (error: unknown) =>
  error instanceof UnreadableSecretError && error.reason === reason && !error.message.includes(SECRET);

test('an encrypted secret can be decrypted at its location, and the ciphertext reveals nothing', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (secret) => {
      const ciphertext = encryptSecret(secret, place, key);
      assert.equal(decryptSecret(ciphertext, place, key), secret);
      assert.match(ciphertext, /^fs1\.[0-9a-f]{8}\.[\w-]+\.[\w-]+$/);
    }),
    { numRuns: 200 },
  );
  const ciphertext = encryptSecret(SECRET, place, key);
  for (const encoding of ['utf8', 'base64url', 'hex'] as const)
    assert.ok(!ciphertext.includes(Buffer.from(SECRET).toString(encoding)));
});

test('encrypting a secret twice results in two ciphertexts', () => {
  assert.notEqual(encryptSecret(SECRET, place, key), encryptSecret(SECRET, place, key));
});

test('with another key, decryption fails and states that the key is wrong', () => {
  assert.throws(
    () => decryptSecret(encryptSecret(SECRET, place, key), place, otherKey),
    isUnreadable('wrong_key'),
  );
  const relabelled = encryptSecret(SECRET, place, key).replace(key.id, otherKey.id);
  assert.throws(() => decryptSecret(relabelled, place, otherKey), isUnreadable('damaged'));
});

test('a ciphertext that is moved to another organization, row or version cannot be decrypted', () => {
  const ciphertext = encryptSecret(SECRET, place, key);
  const places: SecretLocation[] = [
    { ...place, orgId: 'other' },
    { ...place, rowId: 'prv_2' },
    { ...place, version: 2 },
    { orgId: 'acme","prv_1', rowId: '', version: 1 },
  ];
  for (const elsewhere of places)
    assert.throws(() => decryptSecret(ciphertext, elsewhere, key), isUnreadable('damaged'));
});

test('parts of two ciphertexts cannot be combined', () => {
  const [one, other] = [encryptSecret('one', place, key), encryptSecret('other', place, key)].map((text) =>
    text.split('.'),
  );
  const mixed = [one?.[0], one?.[1], one?.[2], other?.[3]].join('.');
  assert.throws(() => decryptSecret(mixed, place, key), isUnreadable('damaged'));
});

test('a ciphertext that is truncated or changed anywhere cannot be decrypted', () => {
  const ciphertext = encryptSecret(SECRET, place, key);
  for (let cut = 0; cut < ciphertext.length; cut++)
    assert.throws(
      () => decryptSecret(ciphertext.slice(0, cut), place, key),
      UnreadableSecretError,
      `cut at ${cut}`,
    );
  const [format = '', id = '', ...parts] = ciphertext.split('.');
  for (const [at, part] of parts.entries()) {
    const bytes = Buffer.from(part, 'base64url');
    for (let i = 0; i < bytes.length; i++) {
      const changed = Buffer.from(bytes);
      changed[i] = (changed[i] ?? 0) ^ 1;
      const text = [format, id, ...parts.with(at, changed.toString('base64url'))].join('.');
      assert.throws(() => decryptSecret(text, place, key), isUnreadable('damaged'), `part ${at}, byte ${i}`);
    }
  }
  assert.throws(() => decryptSecret(`${ciphertext}.x`, place, key), isUnreadable('damaged'));
});

test('a secret that is wrapped with a new key can be decrypted only with this key and at its location', () => {
  const ciphertext = encryptSecret(SECRET, place, key);
  const rewrapped = rewrapSecret(ciphertext, place, key, otherKey);
  assert.equal(decryptSecret(rewrapped, place, otherKey), SECRET);
  assert.throws(() => decryptSecret(rewrapped, place, key), isUnreadable('wrong_key'));
  assert.throws(
    () => decryptSecret(rewrapped, { ...place, rowId: 'prv_2' }, otherKey),
    isUnreadable('damaged'),
  );
  // The secret itself was not encrypted again.
  assert.equal(rewrapped.split('.')[3], ciphertext.split('.')[3]);
  assert.throws(() => rewrapSecret(ciphertext, place, otherKey, key), isUnreadable('wrong_key'));
  const damaged = `${ciphertext.slice(0, -2)}${ciphertext.endsWith('AA') ? 'BB' : 'AA'}`;
  assert.throws(() => rewrapSecret(damaged, place, key, otherKey), isUnreadable('damaged'));
});
