import { createPublicKey, verify } from 'node:crypto';
import type { RelayConfig } from '@floe/contract/config';
import { isJsonObject } from '@floe/contract/json';
import type { CallerIdentity } from './rules/match-caller.ts';

/**
 * The data that a client needs to make decisions without the server: the rules, and the identity that
 * they apply to.
 */
export interface BundlePayload {
  readonly format: 1;
  readonly org: string;
  readonly version: string;
  readonly issued_at: string;
  /** Time after which the client no longer decides with this bundle. */
  readonly expires_at: string;
  readonly identity: CallerIdentity;
  readonly relay: RelayConfig;
}

/**
 * A signed bundle in the API format. The payload is JSON text. The signature and the raw Ed25519 key are in
 * base64.
 */
export interface SignedBundle {
  readonly payload: string;
  readonly signature: string;
  readonly public_key: string;
}

/** DER prefix of an Ed25519 public key (RFC 8410, section 4), before its 32 bytes. */
const PUBLIC_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

/**
 * Verifies a bundle and returns its payload. Returns null if the signature does not match the pinned key, if
 * this release does not support the format, or if the bundle has expired.
 * @param pinnedKey The raw Ed25519 key in base64 that was stored with the first bundle.
 * @throws SyntaxError if the signed payload is not valid JSON
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

/**
 * The signature proves that the server wrote the payload. The format number proves that this release can read
 * it.
 */
function isBundlePayload(value: unknown): value is BundlePayload {
  return (
    isJsonObject(value) &&
    value['format'] === 1 &&
    isJsonObject(value['relay']) &&
    isJsonObject(value['identity'])
  );
}
