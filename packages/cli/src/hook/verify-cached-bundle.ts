import { type BundlePayload, verifyBundle } from '@floe/relay/bundle';
import type { CachedBundle } from './bundle-cache.ts';

/**
 * What a kept bundle says, when its key has signed it; null when not.
 *
 * @param nowMs `-Infinity` to read one that is over
 */
export function verifyCachedBundle({ bundle, pinnedKey }: CachedBundle, nowMs: number): BundlePayload | null {
  try {
    return verifyBundle(bundle, pinnedKey, nowMs);
  } catch {
    return null;
  }
}
