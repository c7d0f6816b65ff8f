import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

const SIZE_MB = 24;
/** What is left as the disk fills up is in pieces smaller than what is written at once. */
const FILLER_BYTES = [1024 * 1024, 4096, 64];

/** A file system of its own that a test can fill; null where only root may make one. */
export function mountSmallDisk(t: TestContext): string | null {
  const home = mkdtempSync(join(tmpdir(), 'floe-disk-'));
  const made = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE_MB}m`, 'tmpfs', home]);
  t.after(() => {
    if (made.status === 0) spawnSync('umount', ['-l', home]);
    rmSync(home, { recursive: true, force: true });
  });
  return made.status === 0 ? home : null;
}

/** Writes to a file until the disk is full. */
export function fillDisk(path: string): void {
  const file = openSync(path, 'a');
  for (const bytes of FILLER_BYTES)
    try {
      for (;;) writeSync(file, Buffer.alloc(bytes));
    } catch (error) {
      assert.ok(error instanceof Error && 'code' in error && error.code === 'ENOSPC', String(error));
    }
  closeSync(file);
}
