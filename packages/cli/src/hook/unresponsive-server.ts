import { mkdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type BundleCacheLocation, getBundleCacheDirectory } from './bundle-cache.ts';
import type { HookSettings } from './hook-settings.ts';
import { readRegularFile, writePrivateFile } from './regular-file.ts';

/** How long hooks avoid a server after it did not respond within the time limit, in milliseconds. */
export const UNRESPONSIVE_SERVER_TTL_MS = 30_000;
/** How often a separate process checks whether an unresponsive server responds again, in milliseconds. */
export const SERVER_PROBE_INTERVAL_MS = 10_000;

/**
 * Records that the server did not respond within the time limit. Never throws. If the record cannot be
 * written, later hooks contact the server as usual.
 */
export function markServerUnresponsive(paths: BundleCacheLocation, settings: HookSettings): void {
  const path = unresponsiveMarkerPath(paths, settings);
  try {
    mkdirSync(getBundleCacheDirectory(paths, settings), { recursive: true, mode: 0o700 });
    writePrivateFile(path, settings.baseUrl ?? '');
  } catch {
    // An unwritable cache costs time and affects no decision.
  }
}

/** Returns whether the server did not respond within the time limit in the last 30 seconds. */
export function isServerUnresponsive(
  paths: BundleCacheLocation,
  settings: HookSettings,
  nowMs: number,
): boolean {
  const path = unresponsiveMarkerPath(paths, settings);
  try {
    const ageMs = nowMs - statSync(path).mtimeMs;
    return (
      ageMs < UNRESPONSIVE_SERVER_TTL_MS &&
      ageMs > -UNRESPONSIVE_SERVER_TTL_MS &&
      readRegularFile(path) === settings.baseUrl
    );
  } catch {
    return false;
  }
}

/** Deletes the record that the server does not respond, so that hooks contact the server again. */
export function markServerResponsive(paths: BundleCacheLocation, settings: HookSettings): void {
  rmSync(unresponsiveMarkerPath(paths, settings), { force: true });
}

function unresponsiveMarkerPath(paths: BundleCacheLocation, settings: HookSettings): string {
  return join(getBundleCacheDirectory(paths, settings), 'unresponsive');
}
