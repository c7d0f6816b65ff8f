import assert from 'node:assert/strict';
import { createPublicKey, createVerify, generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import { signJwt } from './jwt.ts';

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

test('a token has three parts in base64url without padding, and its signature verifies (RFC 7515, 7519)', () => {
  const token = signJwt({ iss: 'a@b.test', note: 'é?>~' }, pem, 'k-1');
  const [head = '', claims = '', signature = '', ...rest] = token.split('.');
  assert.deepEqual(rest, []);
  assert.match(token, /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/);
  const read = (part: string): unknown => JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
  assert.deepEqual(read(head), { alg: 'RS256', typ: 'JWT', kid: 'k-1' });
  assert.deepEqual(read(claims), { iss: 'a@b.test', note: 'é?>~' });
  const verifies = (text: string) =>
    createVerify('RSA-SHA256')
      .update(text)
      .verify(createPublicKey(publicKey.export({ type: 'spki', format: 'pem' })), signature, 'base64url');
  assert.ok(verifies(`${head}.${claims}`));
  assert.ok(!verifies(`${head}.${claims}x`));
});

test('a key that is none, or of another kind, is refused', () => {
  assert.throws(() => signJwt({}, 'no key', undefined));
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  assert.throws(() => signJwt({}, ec, undefined), /not an RSA key/);
});
