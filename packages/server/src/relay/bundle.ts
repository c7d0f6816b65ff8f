import { createHash, createPrivateKey, createPublicKey, hkdfSync, type KeyObject, sign } from 'node:crypto';
import type { BundlePayload, SignedBundle } from '@floe/relay/bundle';
import type { OrgRelay } from './org-relays.ts';
import type { RelayCaller } from './relay-caller.ts';

/** How long a bundle holds without the server. */
const BUNDLE_TTL_MS = 24 * 3_600_000;
/** A bundle is made anew this often, so that a client that comes daily never holds one that is over. */
const BUNDLE_RENEWAL_MS = 3_600_000;
/** DER of an Ed25519 private key before its 32 bytes (RFC 8410, section 7). */
const PRIVATE_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

/** The key that signs bundles, and its other half for clients. */
export interface BundleKey {
  readonly key: KeyObject;
  /** Raw 32 bytes in base64. */
  readonly publicKey: string;
  readonly id: string;
}

/** From the installation's secret key (HKDF, RFC 5869): every process signs with the same. */
export function deriveBundleKey(secretKey: Uint8Array): BundleKey {
  const seed = Buffer.from(hkdfSync('sha256', secretKey, '', 'floe relay bundle v1', 32));
  const key = createPrivateKey({ key: Buffer.concat([PRIVATE_PREFIX, seed]), format: 'der', type: 'pkcs8' });
  const raw = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32);
  return {
    key,
    publicKey: raw.toString('base64'),
    id: createHash('sha256').update(raw).digest('hex').slice(0, 16),
  };
}

export interface RelayBundle extends SignedBundle {
  readonly key_id: string;
}

/** The rules of an org for one key, signed. The same within an hour while nothing changes. */
export function signBundle(
  { key, publicKey, id }: BundleKey,
  { relay, version }: OrgRelay,
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
