import { mkdirSync, renameSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, type JsonObject } from '@floe/contract/json';
import type { SignedBundle } from '@floe/relay/bundle';
import type { HookPaths, HookSettings } from './hook-settings.ts';
import { readRegularFile, writePrivateFile } from './regular-file.ts';

/** A rule bundle in the cache, with its ETag and the signing key that was stored with the first bundle. */
export interface CachedBundle {
  readonly bundle: SignedBundle;
  readonly etag: string | null;
  /** Raw Ed25519 key in base64, from the first bundle or from the settings. */
  readonly pinnedKey: string;
}

/** The path of the directory that contains all cached bundles. */
export type BundleCacheLocation = Pick<HookPaths, 'cache'>;

/**
 * Returns the cache directory of a platform key. Each key has its own directory, because the rules depend on
 * the key. The directory does not depend on the base URL, so the rules are kept if the URL of the server
 * changes. A server with another signing key cannot replace them.
 */
export function getBundleCacheDirectory({ cache }: BundleCacheLocation, { key }: HookSettings): string {
  // FNV-1a. The name is not a secret, and importing node:crypto would take longer than any other import of a
  // hook.
  let hash = 0x811c9dc5;
  for (const letter of `${key}`) hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return join(cache, hash.toString(16).padStart(8, '0'));
}

/** Reads the cached bundle without verifying its signature. Returns null if there is none. */
export function readCachedBundle(directory: string, settings: HookSettings): CachedBundle | null {
  const stored = readJsonFile(join(directory, 'bundle.json'));
  const bundle = stored && isJsonObject(stored['bundle']) ? parseSignedBundle(stored['bundle']) : null;
  const pinnedKey = settings.publicKey ?? stored?.['pinned_key'];
  if (!bundle || typeof pinnedKey !== 'string') return null;
  const etag = stored?.['etag'];
  return { bundle, pinnedKey, etag: typeof etag === 'string' ? etag : null };
}

/** Writes a bundle to its cache directory atomically. Only the user can read the file. */
export function storeCachedBundle(directory: string, { bundle, etag, pinnedKey }: CachedBundle): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const path = join(directory, 'bundle.json');
  const draft = `${path}.${process.pid}`;
  writePrivateFile(draft, JSON.stringify({ pinned_key: pinnedKey, etag, bundle }));
  renameSync(draft, path);
}

/**
 * Claims the next download of the rules. Returns false if a process claimed it less than `refreshMs` ago. Two
 * processes that call it at the same time can both get true.
 */
export function tryClaimBundleRefresh(directory: string, refreshMs: number, nowMs: number): boolean {
  const marker = join(directory, 'asked');
  try {
    const ageMs = nowMs - statSync(marker).mtimeMs;
    // After the clock was set back, the last download is in the future. It must not delay the next one.
    if (ageMs >= 0 && ageMs < refreshMs) return false;
    utimesSync(marker, nowMs / 1000, nowMs / 1000);
  } catch {
    try {
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      writePrivateFile(marker, '');
    } catch {
      return false;
    }
  }
  return true;
}

/** Parses a signed bundle without verifying the signature. Returns null if a field is missing. */
export function parseSignedBundle(value: JsonObject): SignedBundle | null {
  const { payload, signature, public_key } = value;
  const areTexts = typeof payload === 'string' && typeof signature === 'string';
  return areTexts && typeof public_key === 'string' ? { payload, signature, public_key } : null;
}

function readJsonFile(path: string): JsonObject | null {
  try {
    const parsed: unknown = JSON.parse(readRegularFile(path));
    return isJsonObject(parsed) ? parsed : null;
  } catch {
    return null;
  }
}
