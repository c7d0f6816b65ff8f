import { createPublicKey, verify } from 'node:crypto';
import type { RelayConfig } from '@floe/contract/config';
import { isObject } from '@floe/contract/json';
import type { CallerIdentity } from './rules/match-caller.ts';

/** What a client needs to decide without the server: the rules, and who it is. */
export interface BundlePayload {
  readonly format: 1;
  readonly org: string;
  readonly version: string;
  readonly issued_at: string;
  /** Nothing is decided by it from then on. */
  readonly expires_at: string;
  readonly identity: CallerIdentity;
  readonly relay: RelayConfig;
}

/** A bundle as the server hands it out. */
export interface SignedBundle {
  readonly payload: string;
  readonly signature: string;
  readonly public_key: string;
}

/** DER of an Ed25519 key before its 32 bytes (RFC 8410, section 4). */
const PUBLIC_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

/**
 * The rules in a bundle, when it was signed by the pinned key and still holds; null for any other bundle.
 *
 * @param pinnedKey raw Ed25519 key in base64, kept since the first bundle
 */
export function verifyBundle(
  { payload, signature }: SignedBundle,
  pinnedKey: string,
  nowMs: number,
): BundlePayload | null {
  const raw = Buffer.from(pinnedKey, 'base64');
  if (raw.length !== 32) return null;
  const key = createPublicKey({ key: Buffer.concat([PUBLIC_PREFIX, raw]), format: 'der', type: 'spki' });
  if (!verify(null, Buffer.from(payload), key, Buffer.from(signature, 'base64'))) return null;
  const parsed: unknown = JSON.parse(payload);
  if (!isBundlePayload(parsed)) return null;
  return Date.parse(parsed.expires_at) > nowMs ? parsed : null;
}

/** Only what the server wrote is signed by its key; the format says that this release reads it. */
function isBundlePayload(value: unknown): value is BundlePayload {
  return isObject(value) && value['format'] === 1 && isObject(value['relay']) && isObject(value['identity']);
}
