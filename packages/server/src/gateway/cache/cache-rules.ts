import { hash } from 'node:crypto';
import type { OrgConfig } from '@floe/contract/config';

/** How an org's answers are kept. */
export interface CacheRules {
  /** Whether what no route says anything about is cached. */
  readonly byDefault: boolean;
  readonly ttlMs: number;
  /** Who shares an answer: everybody in the org, or one key with itself. */
  readonly scope: 'org' | 'key';
  /** Changes with the org's policies and with every purge: what was kept before is never found again. */
  readonly version: string;
}

/** Null while nothing is cached: neither by the org nor by a route. `purges` counts how often the org threw its answers away. */
export function compileCacheRules(org: OrgConfig, purges: number): CacheRules | null {
  const { enabled, ttl_seconds, scope } = org.cache;
  if (!enabled && !org.routes.some((route) => route.enabled && route.cache === 'on')) return null;
  return {
    byDefault: enabled,
    ttlMs: ttl_seconds * 1000,
    scope,
    version: hash('sha256', JSON.stringify([purges, org.policies]), 'base64url').slice(0, 16),
  };
}

/** Whether what goes this way may be answered from the cache. */
export function isCacheEnabled(
  { byDefault }: CacheRules,
  { cache }: { readonly cache: 'on' | 'off' | undefined },
): boolean {
  return cache === undefined ? byDefault : cache === 'on';
}
