import { hash } from 'node:crypto';
import type { OrgConfig } from '@floe/contract/config';

/** How an org's answers are kept. */
export interface CacheRules {
  readonly ttlMs: number;
  /** Who shares an answer: everybody in the org, or one key with itself. */
  readonly scope: 'org' | 'key';
  /** Changes with the org's policies and with every purge: what was kept before is never found again. */
  readonly version: string;
}

/** Null while the cache is off. `purges` counts how often the org threw its answers away. */
export function compileCache(org: OrgConfig, purges: number): CacheRules | null {
  const { enabled, ttl_seconds, scope } = org.cache;
  if (!enabled) return null;
  return {
    ttlMs: ttl_seconds * 1000,
    scope,
    version: hash('sha256', JSON.stringify([purges, org.policies]), 'base64url').slice(0, 16),
  };
}
