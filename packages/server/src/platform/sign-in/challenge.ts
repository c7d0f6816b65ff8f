import { createHmac, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../core/clock.ts';
import type { DatabaseWriter } from '../../store/ports.ts';
import { markTokenUsed } from '../../store/used-tokens.ts';
import { sha256 } from './tokens.ts';

const CHALLENGE_TTL_MS = 5 * 60_000;
const RANDOM_BYTES = 16;
const TIME_BYTES = 6;
const MAC_BYTES = 32;

/** What a challenge is for, and whose: it is good for nothing else. */
export type ChallengePurpose = readonly [kind: 'passkey' | 'register', userId: string];

/**
 * A challenge that says by itself that we made it, for what, and until when: base64url of random bytes, the time of its
 * end, and an HMAC. Asking for one writes nothing, so strangers cannot fill the store.
 */
export function createChallenge(key: KeyObject, clock: Clock, purpose: ChallengePurpose): string {
  const body = Buffer.alloc(RANDOM_BYTES + TIME_BYTES);
  randomBytes(RANDOM_BYTES).copy(body);
  body.writeUIntBE(clock.now() + CHALLENGE_TTL_MS, RANDOM_BYTES, TIME_BYTES);
  return Buffer.concat([body, computeMac(key, body, purpose)]).toString('base64url');
}

/** Whether we made it for this, and it is not over. */
export function isValidChallenge(
  key: KeyObject,
  clock: Clock,
  purpose: ChallengePurpose,
  text: string,
): boolean {
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.length !== RANDOM_BYTES + TIME_BYTES + MAC_BYTES) return false;
  const body = bytes.subarray(0, RANDOM_BYTES + TIME_BYTES);
  return (
    timingSafeEqual(bytes.subarray(body.length), computeMac(key, body, purpose)) &&
    clock.now() < body.readUIntBE(RANDOM_BYTES, TIME_BYTES)
  );
}

/** False when it was used before. The text is compared as bytes: base64url has several spellings of one. */
export function consumeChallenge(writer: DatabaseWriter, clock: Clock, text: string): Promise<boolean> {
  const spelled = Buffer.from(text, 'base64url').toString('base64url');
  return markTokenUsed(writer, sha256(spelled), clock.now() + CHALLENGE_TTL_MS);
}

function computeMac(key: KeyObject, body: Buffer, purpose: ChallengePurpose): Buffer {
  return createHmac('sha256', key).update(JSON.stringify(purpose)).update('\n').update(body).digest();
}
