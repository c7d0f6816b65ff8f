import { type BundlePayload, verifyBundle } from '@floe/relay/bundle';
import type { CachedBundle } from './bundle-cache.ts';

/**
 * Verifies a cached bundle and returns its payload. Returns null if the signature is not valid or the bundle
 * has expired.
 * @param nowMs The current time, or `-Infinity` to accept an expired bundle.
 */
export function verifyCachedBundle({ bundle, pinnedKey }: CachedBundle, nowMs: number): BundlePayload | null {
  try {
    return verifyBundle(bundle, pinnedKey, nowMs);
  } catch {
    return null;
  }
}
