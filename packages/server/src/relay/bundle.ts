import { createHash, createPrivateKey, createPublicKey, hkdfSync, type KeyObject, sign } from 'node:crypto';
import type { BundlePayload, SignedBundle } from '@floe/relay/bundle';
import type { RelayCaller } from './relay-caller.ts';
import type { VersionedRelayConfig } from './relay-config-registry.ts';

/** How long the hook may use a bundle if it cannot reach the server. */
const BUNDLE_TTL_MS = 24 * 3_600_000;
/**
 * Interval at which the times in a bundle change. A downloaded bundle is therefore valid for at least 23
 * hours.
 */
const BUNDLE_RENEWAL_MS = 3_600_000;
/** The DER prefix of an Ed25519 private key of 32 bytes (RFC 8410, section 7). */
const PRIVATE_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

/** The private key that signs bundles, and the public key for clients. */
export interface BundleSigningKey {
  readonly key: KeyObject;
  /** The public key: 32 bytes in base64. */
  readonly publicKey: string;
  readonly id: string;
}

/**
 * Derives the key that signs bundles from the installation's secret key with HKDF (RFC 5869), so
 * that every process signs with the same key.
 */
export function deriveBundleSigningKey(secretKey: Uint8Array): BundleSigningKey {
  const seed = Buffer.from(hkdfSync('sha256', secretKey, '', 'floe relay bundle v1', 32));
  const key = createPrivateKey({ key: Buffer.concat([PRIVATE_PREFIX, seed]), format: 'der', type: 'pkcs8' });
  const raw = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32);
  return {
    key,
    publicKey: raw.toString('base64'),
    id: createHash('sha256').update(raw).digest('hex').slice(0, 16),
  };
}

/** A signed bundle, with the id of the key that signed it. */
export interface RelayBundle extends SignedBundle {
  readonly key_id: string;
}

/**
 * Returns an organization's signed rules for one platform key. The result changes when a rule changes, and once
 * an hour, when the times in it are renewed.
 */
export function createSignedBundle(
  { key, publicKey, id }: BundleSigningKey,
  { relay, version }: VersionedRelayConfig,
  caller: RelayCaller,
  nowMs: number,
): RelayBundle {
  const issued = Math.floor(nowMs / BUNDLE_RENEWAL_MS) * BUNDLE_RENEWAL_MS;
  const payload: BundlePayload = {
    format: 1,
    org: caller.orgId,
    version,
    issued_at: new Date(issued).toISOString(),
    expires_at: new Date(issued + BUNDLE_TTL_MS).toISOString(),
    identity: { key: caller.keyName, team: caller.team, owner: caller.owner },
    relay: relay.config,
  };
  const text = JSON.stringify(payload);
  const signature = sign(null, Buffer.from(text), key).toString('base64');
  return { payload: text, signature, key_id: id, public_key: publicKey };
}
