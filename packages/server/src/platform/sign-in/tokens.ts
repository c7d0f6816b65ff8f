import { createHash, randomBytes } from 'node:crypto';

const TOKEN_BYTES = 32;
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/**
 * Returns 256 random bits in base64url, for a cookie or a one-time link. Only the SHA-256 of the
 * token is stored.
 */
export function generateSecretToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/**
 * Returns whether a string could be a result of `generateSecretToken`. Avoids a database lookup for
 * other strings.
 */
export function hasSecretTokenFormat(text: string): boolean {
  return TOKEN.test(text);
}

/** Returns the SHA-256 of a string in hex. */
export function computeSha256Hex(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
