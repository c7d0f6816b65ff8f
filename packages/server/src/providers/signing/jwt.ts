import { createPrivateKey, createSign, type KeyObject } from 'node:crypto';
import type { JsonObject } from '@floe/contract/json';

/**
 * A JSON Web Token signed with RS256 (RFC 7515, RFC 7519).
 *
 * @throws Error when the key is no RSA private key in PEM.
 */
export function signJwt(claims: JsonObject, key: string | KeyObject, keyId: string | undefined): string {
  const header = { alg: 'RS256', typ: 'JWT', ...(keyId !== undefined && { kid: keyId }) };
  const signed = `${encoded(header)}.${encoded(claims)}`;
  const privateKey = typeof key === 'string' ? createPrivateKey(key) : key;
  if (privateKey.asymmetricKeyType !== 'rsa') throw new Error('the private key is not an RSA key');
  return `${signed}.${createSign('RSA-SHA256').update(signed).sign(privateKey, 'base64url')}`;
}

function encoded(value: JsonObject): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
