import { createHash, randomBytes } from 'node:crypto';

const TOKEN_BYTES = 32;
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** 256 random bits in base64url, for a cookie or a one-time link. Only its SHA-256 is stored. */
export function generateSecretToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** Whether a text can be a result of `generateSecretToken`. Saves a database lookup for others. */
export function hasTokenFormat(text: string): boolean {
  return TOKEN.test(text);
}

/** SHA-256 of a text, hex. */
export function sha256Hex(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
