import { createHmac, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../core/clock.ts';
import type { DatabaseWriter } from '../../store/store-interfaces.ts';
import { markTokenUsed } from '../../store/used-tokens.ts';
import { computeSha256Hex } from './tokens.ts';

const CHALLENGE_TTL_MS = 5 * 60_000;
const RANDOM_BYTES = 16;
const TIME_BYTES = 6;
const MAC_BYTES = 32;

/** What a challenge is valid for: signing in with a passkey or registering one, and the user. */
export type SignInChallengeBinding = readonly [kind: 'passkey' | 'register', userId: string];

/**
 * Creates a signed challenge in base64url: random bytes, an expiry time, and an HMAC over these
 * values and the binding. The server stores nothing, so unauthenticated callers cannot fill the
 * database.
 */
export function createSignInChallenge(key: KeyObject, clock: Clock, binding: SignInChallengeBinding): string {
  const body = Buffer.alloc(RANDOM_BYTES + TIME_BYTES);
  randomBytes(RANDOM_BYTES).copy(body);
  body.writeUIntBE(clock.now() + CHALLENGE_TTL_MS, RANDOM_BYTES, TIME_BYTES);
  return Buffer.concat([body, computeMac(key, body, binding)]).toString('base64url');
}

/** Returns whether a challenge was created for this purpose and user, and has not expired. */
export function isValidSignInChallenge(
  key: KeyObject,
  clock: Clock,
  binding: SignInChallengeBinding,
  text: string,
): boolean {
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.length !== RANDOM_BYTES + TIME_BYTES + MAC_BYTES) return false;
  const body = bytes.subarray(0, RANDOM_BYTES + TIME_BYTES);
  return (
    timingSafeEqual(bytes.subarray(body.length), computeMac(key, body, binding)) &&
    clock.now() < body.readUIntBE(RANDOM_BYTES, TIME_BYTES)
  );
}

/**
 * Marks a challenge as used. Returns false if it was already used. Compares the decoded bytes,
 * because several base64url strings can represent the same bytes.
 */
export function consumeSignInChallenge(writer: DatabaseWriter, clock: Clock, text: string): Promise<boolean> {
  const spelled = Buffer.from(text, 'base64url').toString('base64url');
  return markTokenUsed(writer, computeSha256Hex(spelled), clock.now() + CHALLENGE_TTL_MS);
}

function computeMac(key: KeyObject, body: Buffer, binding: SignInChallengeBinding): Buffer {
  return createHmac('sha256', key).update(JSON.stringify(binding)).update('\n').update(body).digest();
}
