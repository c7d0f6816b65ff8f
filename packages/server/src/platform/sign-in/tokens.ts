import { createHash, randomBytes } from 'node:crypto';

const TOKEN_BYTES = 32;
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** 256 random bits, base64url: a cookie's value or a one-time link's. Only its SHA-256 is ever stored. */
export function generateToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** False for what `generateToken` never makes, so that it costs no look into the store. */
export function hasTokenFormat(text: string): boolean {
  return TOKEN.test(text);
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
