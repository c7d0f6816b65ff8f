import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BundlePlace, bundleDirectory } from './bundle-cache.ts';
import type { HookSettings } from './settings.ts';

/** How long a server that let a whole deadline pass is not asked again. */
export const UNRESPONSIVE_MS = 30_000;
/** How often a process of its own tries meanwhile whether it answers again. */
export const PROBE_MS = 10_000;

/** Remembers that the server of these settings let a whole deadline pass. Never throws: without it, it is asked again. */
export function noteUnresponsive(places: BundlePlace, settings: HookSettings): void {
  const path = markerPath(places, settings);
  try {
    mkdirSync(bundleDirectory(places, settings), { recursive: true, mode: 0o700 });
    writeFileSync(path, settings.baseUrl ?? '', { mode: 0o600 });
  } catch {
    // A cache that cannot be written costs time, no decision.
  }
}

/** Whether the server let a whole deadline pass within the last 30 seconds. */
export function isUnresponsive(places: BundlePlace, settings: HookSettings, nowMs: number): boolean {
  const path = markerPath(places, settings);
  try {
    const ageMs = nowMs - statSync(path).mtimeMs;
    return (
      ageMs < UNRESPONSIVE_MS && ageMs > -UNRESPONSIVE_MS && readFileSync(path, 'utf8') === settings.baseUrl
    );
  } catch {
    return false;
  }
}

export function forgetUnresponsive(places: BundlePlace, settings: HookSettings): void {
  rmSync(markerPath(places, settings), { force: true });
}

function markerPath(places: BundlePlace, settings: HookSettings): string {
  return join(bundleDirectory(places, settings), 'unresponsive');
}
