import { createHash, createHmac, type KeyObject } from 'node:crypto';

/**
 * Returns the secret token in a monitor's beat URL. The token is derived from the installation's
 * secret key, so that Floe can show it again and the database alone does not reveal it. Rotating
 * the URL increments `version`. The token has the form of a UUID (RFC 9562, version 8), because
 * clients of other heartbeat services require one. It contains 122 bits of the derived value.
 */
export function deriveBeatToken(secret: KeyObject, uid: string, version: number): string {
  const bytes = createHmac('sha256', secret).update(`beat url\n${uid}\n${version}`).digest().subarray(0, 16);
  bytes[6] = 0x80 | ((bytes[6] ?? 0) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/**
 * Returns the hash that the database uses to find a monitor by its token. Tokens are
 * case-insensitive.
 */
export function hashBeatToken(token: string): string {
  return createHash('sha256').update(token.toLowerCase()).digest('hex');
}
