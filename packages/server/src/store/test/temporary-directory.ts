import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

/** A directory that goes with the test. */
export function createTemporaryDirectory(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'floe-store-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}
