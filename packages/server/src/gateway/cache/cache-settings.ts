import { hash } from 'node:crypto';
import type { OrgConfig } from '@floe/contract/config';

/** How an organization caches responses. */
export interface CacheSettings {
  /** Whether requests are cached if their route does not configure caching. */
  readonly byDefault: boolean;
  readonly ttlMs: number;
  /** Whether responses are shared within the organization or within one key. */
  readonly scope: 'org' | 'key';
  /**
   * Part of every fingerprint. It changes with the policies of the organization and with every purge, so that
   * earlier responses are no longer found.
   */
  readonly version: string;
}

/**
 * Builds an organization's cache settings. Returns null if nothing is cached. `purges` is the
 * number of times that the organization purged its cache.
 */
export function compileCacheSettings(org: OrgConfig, purges: number): CacheSettings | null {
  const { enabled, ttl_seconds, scope } = org.cache;
  if (!enabled && !org.routes.some((route) => route.enabled && route.cache === 'on')) return null;
  return {
    byDefault: enabled,
    ttlMs: ttl_seconds * 1000,
    scope,
    version: hash('sha256', JSON.stringify([purges, org.policies]), 'base64url').slice(0, 16),
  };
}

/** Returns whether responses to a route's requests may be served from the cache. */
export function isCacheEnabled(
  { byDefault }: CacheSettings,
  { cache }: { readonly cache: 'on' | 'off' | undefined },
): boolean {
  return cache === undefined ? byDefault : cache === 'on';
}
